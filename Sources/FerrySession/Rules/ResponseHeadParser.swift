/// Collects the lines of response heads as they arrive, and tells interim answers and trailers from the final head.
struct ResponseHeadParser: Sendable {
    enum Event: Sendable {
        /// Nothing to tell yet.
        case none
        /// A final head is complete.
        case head(ResponseHead)
        /// The line cannot be read.
        case malformed
    }

    /// What the fields of one answer may weigh in all; beyond it the answer is refused.
    static let maximumSize = 1_048_576

    private var current: ResponseHead?
    private var isInBody = false
    private var size = 0

    /// The fields that came after the body (RFC 9110, section 6.5).
    private(set) var trailers: [ResponseHead.Field] = []

    mutating func consume(_ line: UnsafeRawBufferPointer) -> Event {
        size += line.count
        guard size <= Self.maximumSize else { return .malformed }
        let (text, isLatin1) = Self.text(line)
        if text.isEmpty {
            guard !isInBody, let head = current else { return .none }
            current = nil
            // 1xx answers announce the real one. 101 is final, but nothing here asks for an upgrade.
            guard head.status >= 200 else { return .none }
            isInBody = true
            return .head(head)
        }
        // Where libcurl answers a challenge itself, the next answer follows in the same attempt.
        if isInBody, text.hasPrefix("HTTP/"), let head = ResponseHead(statusLine: text) {
            self = ResponseHeadParser()
            current = head
            return .none
        }
        if !isInBody, current == nil {
            guard let head = ResponseHead(statusLine: text) else { return .malformed }
            current = head
            return .none
        }
        return add(text, isLatin1: isLatin1)
    }

    private mutating func add(_ line: String, isLatin1: Bool) -> Event {
        // A folded line continues the value before it (RFC 9112, section 5.2).
        if line.first == " " || line.first == "\t" {
            let more = " " + line.trimmingCharacters(in: .whitespaces)
            if isInBody, let last = trailers.indices.last {
                trailers[last].value += more
            } else if let last = current?.fields.indices.last {
                current?.fields[last].value += more
            }
            return .none
        }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return .malformed }
        let name = line[..<colon].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty else { return .malformed }
        let value = Self.trimmed(line[line.utf8.index(after: colon)...])
        if isInBody {
            trailers.append(.init(name: name, value: value))
        } else {
            current?.fields.append(.init(name: name, value: value, isLatin1: isLatin1))
        }
        return .none
    }

    private static func trimmed(_ value: Substring) -> String {
        var value = value.utf8
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        return String(Substring(value))
    }

    /// A line without its end, as UTF-8 where it is, else as Latin-1, which any bytes are (RFC 9110, section 5.5).
    private static func text(_ line: UnsafeRawBufferPointer) -> (text: String, isLatin1: Bool) {
        var bytes = line[...]
        if bytes.last == 0x0A { bytes = bytes.dropLast() }
        if bytes.last == 0x0D { bytes = bytes.dropLast() }
        if let string = String(validating: bytes, as: UTF8.self) { return (string, false) }
        return (String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })), true)
    }
}
