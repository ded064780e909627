/// A scanner that replaces the values of secret members in JSON text, and leaves everything else as it is.
///
/// It scans instead of parsing, so that malformed JSON is shown without its secrets too. It takes linear time, and
/// nesting needs no stack.
package struct JSONRedactor {
    private let bytes: [UInt8]
    private var index = 0
    private var result: [UInt8] = []

    /// Returns a text with a placeholder in place of each value whose member has a secret name.
    package static func redact(_ text: String, isSecret: (String) -> Bool) -> String {
        var redactor = JSONRedactor(bytes: Array(text.utf8))
        redactor.run(isSecret)
        return String(decoding: redactor.result, as: UTF8.self)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        result.reserveCapacity(bytes.count)
    }

    private mutating func run(_ isSecret: (String) -> Bool) {
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let start = index
            skipString()
            result += bytes[start..<index]
            let end = index
            skipWhitespace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else {
                index = end
                continue
            }
            index += 1
            skipWhitespace()
            result += bytes[end..<index]
            guard index < bytes.count, isSecret(Self.name(bytes[start..<end])) else { continue }
            skipValue()
            result += "\"\(SecretName.placeholder)\"".utf8
        }
    }

    /// Returns the text of a string with its escapes decoded (RFC 8259, section 7); a malformed one as it is.
    private static func name(_ literal: ArraySlice<UInt8>) -> String {
        let decoded = try? JSONDecoder().decode([String].self, from: Data("[".utf8 + literal + "]".utf8))
        return decoded?.first ?? String(decoding: literal, as: UTF8.self)
    }

    private mutating func skipWhitespace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    /// Moves past the quote that ends the string at the index.
    private mutating func skipString() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, bytes.count)
    }

    /// Moves past a value: a string, a whole array or object, or anything up to a comma, bracket or white space.
    private mutating func skipValue() {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return
                }
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return }
            default: break
            }
            index += 1
        }
    }
}
