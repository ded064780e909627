/// A parser for response heads, line by line, that distinguishes interim responses and trailers from the final head.
///
/// It reads the lines of libcurl's header callback, so that a head is delivered with its last line, and one that is
/// malformed or too large is refused before the body is read. `curl_easy_nextheader` does not replace it: libcurl has
/// that function since 7.83, while Ferry supports 7.80; it has no status line and none of these limits; and what it
/// returns is complete only after the blank line, which the callback would have to recognize anyway.
package struct ResponseHeadParser: Sendable {
    package enum Event: Sendable {
        /// The head is not complete yet.
        case none
        /// The head of an interim response is complete.
        case interim(ResponseHead)
        /// A final head is complete.
        case head(ResponseHead)
        /// The lines are not HTTP, or exceed a limit.
        case refused(Refusal)

        package static func malformed(_ text: String) -> Self { .refused(.malformed(text)) }
    }

    /// The reason for refusing a head, as a sentence that names the invalid line.
    package enum Refusal: Sendable, Hashable {
        case malformed(String)
        case tooLarge(String)
    }

    /// The maximum size of the lines of one response, in bytes, including interim responses and trailers: curl's limit.
    package static let maximumSize = 307_200
    /// The maximum number of fields of one response, including trailers, interim responses and their fields, and the
    /// further lines of folded fields.
    package static let maximumFieldCount = 1000

    private let acceptsUpgrade: Bool
    private var current: ResponseHead?
    private var isInBody = false
    private var size = 0
    private var fieldCount = 0
    /// The fields after the body (RFC 9110, section 6.5).
    package private(set) var trailers: [ResponseHead.Field] = []

    /// Makes a parser; `acceptsUpgrade` is whether the request asks to switch protocols, so that a 101 is final.
    package init(acceptsUpgrade: Bool = false) { self.acceptsUpgrade = acceptsUpgrade }

    /// Whether the last line belongs to a final response, and not to an interim one.
    package var isInFinalResponse: Bool { isInBody || (current?.status ?? 0) >= 200 }

    package mutating func consume(_ line: UnsafeRawBufferPointer) -> Event {
        // The limit prevents an overflow.
        size += min(line.count, Self.maximumSize + 1)
        guard size <= Self.maximumSize else {
            return .refused(.tooLarge("The response's header has more than \(Self.maximumSize) bytes"))
        }
        let line = Self.withoutEnd(line)
        if line.isEmpty {
            guard !isInBody, let head = current else { return .none }
            current = nil
            let isUpgrade = head.status == 101
            // After a 101 the connection no longer carries HTTP (RFC 9110, section 15.2.2); libcurl delivers what
            // follows as a body.
            if isUpgrade, !acceptsUpgrade {
                return .malformed("The response switches protocols, which was not requested")
            }
            // Other 1xx responses precede the final one. They count, since they may have no fields.
            guard head.status >= 200 || isUpgrade else {
                return isWithinFieldCount() ? .interim(head) : Self.tooManyFields
            }
            isInBody = true
            return .head(head)
        }
        // If libcurl responds to a challenge itself, the next response follows in the same attempt.
        if isInBody, line.starts(with: "HTTP/".utf8), let head = ResponseHead(statusLine: Self.text(line).text) {
            self = ResponseHeadParser(acceptsUpgrade: acceptsUpgrade)
            current = head
            return .none
        }
        if !isInBody, current == nil {
            guard var head = ResponseHead(statusLine: Self.text(line).text) else {
                return .malformed("The response begins with \(Self.quoted(line)), which is not a status line")
            }
            // Enough for most heads. That of an upgrade is short, and kept as long as the connection.
            head.fields.reserveCapacity(acceptsUpgrade ? 4 : 16)
            current = head
            return .none
        }
        return add(line)
    }

    private mutating func add(_ line: UnsafeRawBufferPointer) -> Event {
        guard isWithinFieldCount() else { return Self.tooManyFields }
        // A folded line continues the value of the previous line (RFC 9112, section 5.2).
        if let first = line.first, first.isBlank {
            let more = Self.value(line).text
            if isInBody, let last = trailers.indices.last {
                trailers[last].value += trailers[last].value.isEmpty ? more : " " + more
            } else if let last = current?.fields.indices.last, let field = current?.fields[last] {
                // libcurl does not see what follows, and would find another end of the body.
                guard !["transfer-encoding", "content-length"].contains(where: field.name.isEqualIgnoringCase) else {
                    return .malformed("The response's \(field.name) is folded over several lines")
                }
                current?.fields[last].value = field.value.isEmpty ? more : field.value + " " + more
            }
            return .none
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            return .malformed("The response's header has the line \(Self.quoted(line)), which is not a field")
        }
        // Section 5.1: a blank before the colon has led to different interpretations of one message.
        let nameBytes = UnsafeRawBufferPointer(rebasing: line[..<colon])
        guard HeaderRule.isToken(nameBytes) else {
            return .malformed("The response has a header field named \(Self.quoted(nameBytes)), which is not a token")
        }
        let name = String(decoding: nameBytes, as: UTF8.self)
        let (value, isLatin1) = Self.value(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        if isInBody {
            trailers.append(.init(name: name, value: value))
        } else {
            current?.fields.append(.init(name: name, value: value, isLatin1: isLatin1))
        }
        return .none
    }

    private mutating func isWithinFieldCount() -> Bool {
        fieldCount += 1
        return fieldCount <= Self.maximumFieldCount
    }

    private static let tooManyFields = Event.refused(
        .tooLarge("The response has more than \(maximumFieldCount) header fields")
    )

    /// Returns the first word of a line and the blanks after it, quoted for an error message.
    private static func quoted(_ line: UnsafeRawBufferPointer) -> String {
        let beginning = line.prefix(80)
        let word = beginning.prefix { !$0.isBlank && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=") }
        // What follows the first word may be the value of a cookie.
        let isWhole = line[word.endIndex...].allSatisfy(\.isBlank)
        let shown = text(UnsafeRawBufferPointer(rebasing: isWhole ? beginning : word)).text
        return (isWhole ? shown : shown + " …").debugDescription
    }

    private static func withoutEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = line.endIndex
        if end > 0, line[end - 1] == 0x0A { end -= 1 }
        if end > 0, line[end - 1] == 0x0D { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<end])
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = bytes.firstIndex { !$0.isBlank } ?? bytes.endIndex
        let end = bytes.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? bytes.endIndex
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Returns the text of a value, in which a CR or a NUL is read as a blank (RFC 9110, section 5.5).
    private static func value(_ bytes: UnsafeRawBufferPointer) -> (text: String, isLatin1: Bool) {
        guard bytes.contains(where: isDangerous) else { return text(trimmed(bytes)) }
        return bytes.map { isDangerous($0) ? 0x20 : $0 }.withUnsafeBytes { text(trimmed($0)) }
    }

    private static func isDangerous(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0 }

    /// Decodes bytes as UTF-8 if they are valid, otherwise as Latin-1, which accepts any bytes (RFC 9110, section 5.5).
    private static func text(_ bytes: UnsafeRawBufferPointer) -> (text: String, isLatin1: Bool) {
        // ASCII, which nearly all text is, needs no validation.
        if bytes.reduce(0, |) < 0x80 {
            return (String(decoding: bytes.bindMemory(to: UInt8.self), as: UTF8.self), false)
        }
        return String(validating: bytes, as: UTF8.self).map { ($0, false) } ?? (String(latin1: bytes), true)
    }
}
