/// A parser for the value of a `Link` field (RFC 8288, appendix B.2) that tolerates common mistakes of servers.
///
/// It reads bytes, and never goes back: finding the end of a `Character` of hostile text can take quadratic time.
struct LinkParser {
    /// The maximum number of links of one response.
    static let maximumCount = 1_000
    /// The maximum size of a target or anchor, in bytes.
    private static let maximumReferenceSize = 8_192
    /// The maximum size of any other parameter, in bytes: comparing and hashing hostile text takes quadratic time.
    private static let maximumValueSize = 4_096
    /// The maximum number of relation types, and of languages, of one link.
    private static let maximumListCount = 32

    private let bytes: [UInt8]
    private let base: URL?
    private var index = 0

    /// Creates a parser at the start of a field's value; `base` is the URL of the response, whose fragment is no part
    /// of the context (RFC 3986, section 5.1).
    init(_ value: String, base: URL?) {
        // A folded line continues with a space (RFC 9112, section 5.2); other line breaks are read in the same way.
        bytes = value.utf8.map { $0 == 0x0D || $0 == 0x0A ? 0x20 : $0 }
        self.base = base.flatMap { base in
            let text = base.absoluteString
            return text[...].utf8.cut(at: "#").map { URL(string: $0.before.string) } ?? base
        }
    }

    /// Returns the next link that can be used, or `nil` at the end.
    mutating func next() -> Link? {
        while index < bytes.count {
            skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            guard take("<") else {
                while skipToSeparator() == UInt8(ascii: ";") { index += 1 }
                continue
            }
            guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else {
                index = bytes.count
                return nil
            }
            let target = bytes[index..<end]
            index = end + 1
            let parameters = readParameters()
            if let link = link(to: target, parameters) { return link }
        }
        return nil
    }

    // MARK: - Reading

    private mutating func readParameters() -> [(name: String, value: [UInt8])] {
        var parameters: [(name: String, value: [UInt8])] = []
        while skipToSeparator() == UInt8(ascii: ";") {
            index += 1
            skipBlanks()
            let start = index
            skip { HeaderRule.isTokenByte($0) }
            let name = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
            skipBlanks()
            let value = take("=") ? readValue() : []
            if !name.isEmpty { parameters.append((name, value)) }
        }
        return parameters
    }

    private mutating func readValue() -> [UInt8] {
        skipBlanks()
        if take("\"") { return readQuotedString() }
        let start = index
        skip { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let end = bytes[start..<index].lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? start
        return Array(bytes[start..<end])
    }

    /// Reads to the closing quote; a backslash escapes the next character (RFC 9110, section 5.6.4).
    private mutating func readQuotedString() -> [UInt8] {
        var value: [UInt8] = []
        while index < bytes.count {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                guard index < bytes.count else { break }
                byte = bytes[index]
                index += 1
            }
            value.append(byte)
        }
        return value
    }

    /// Moves to the next semicolon or comma outside quoted strings, and returns it; `nil` at the end.
    private mutating func skipToSeparator() -> UInt8? {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ";"), UInt8(ascii: ","): return bytes[index]
            case UInt8(ascii: "\""):
                index += 1
                _ = readQuotedString()
            default: index += 1
            }
        }
        return nil
    }

    private mutating func skipBlanks() { skip { $0 == 0x20 || $0 == 0x09 } }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while index < bytes.count, condition(bytes[index]) { index += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    // MARK: - Making links

    private func link(to target: ArraySlice<UInt8>, _ parameters: [(name: String, value: [UInt8])]) -> Link? {
        func first(_ name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }
        // Only the first `rel` counts (section 3.3), as do the first `anchor`, `type` and `title`.
        let relations = Self.words(first("rel") ?? [])
        guard !relations.isEmpty, let target = resolve(target) else { return nil }
        var link = Link(target: target, relations: relations)
        if let anchor = first("anchor") {
            // A link whose anchor cannot be resolved must not be taken for one of the response.
            guard let context = resolve(anchor[...]) else { return nil }
            if context.absoluteString != base?.absoluteString { link.anchor = context }
        }
        link.title =
            first("title*").flatMap(Self.text).flatMap(ContentDisposition.decodeExtended)
            ?? first("title").flatMap(Self.text)
        link.type = first("type").flatMap(Self.text)
        for (name, value) in parameters {
            switch name {
            case "rel", "anchor", "title", "title*", "type": continue
            case "hreflang":
                guard link.hreflang.count < Self.maximumListCount, let text = Self.text(value) else { continue }
                link.hreflang.append(text)
            default:
                if link.parameters[name] == nil { link.parameters[name] = Self.text(value) }
            }
        }
        return link
    }

    /// Returns the absolute URL of a reference; an empty one refers to the response itself.
    private func resolve(_ reference: ArraySlice<UInt8>) -> URL? {
        guard reference.count <= Self.maximumReferenceSize else { return nil }
        guard !reference.isEmpty else { return base }
        let url = URLReference.resolve(String(decoding: reference, as: UTF8.self), against: base)
        return url?.scheme == nil ? nil : url
    }

    private static func text(_ value: [UInt8]) -> String? {
        value.count <= maximumValueSize ? String(decoding: value, as: UTF8.self) : nil
    }

    /// Returns relation types in lower case and without duplicates; names and URIs are both ASCII (section 3.3).
    private static func words(_ value: [UInt8]) -> [String] {
        guard value.count <= maximumValueSize else { return [] }
        var words: [String] = []
        for word in value.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
            guard words.count < maximumListCount else { break }
            guard word.allSatisfy({ (0x21...0x7E).contains($0) }) else { continue }
            let word = String(decoding: word, as: UTF8.self).lowercased()
            if !words.contains(word) { words.append(word) }
        }
        return words
    }
}
