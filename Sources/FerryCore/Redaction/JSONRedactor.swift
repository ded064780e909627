/// A scanner that replaces the strings and numbers in secret members of JSON text, and leaves everything else as it is.
///
/// Values keep their types, so that a recorded body can be decoded. It scans instead of parsing, so that malformed JSON
/// is shown without its secrets too. It takes linear time, and nesting needs no recursion.
package struct JSONRedactor {
    private let bytes: [UInt8]
    private var index = 0
    private var result: [UInt8] = []

    /// Returns a text with placeholders for strings, and 0 for numbers except counts, in members with secret names.
    package static func redact(_ text: String, isSecret: (String) -> Bool) -> String {
        var redactor = JSONRedactor(bytes: Array(text.utf8))
        redactor.run(isSecret)
        return String(decoding: redactor.result, as: UTF8.self)
    }

    private mutating func run(_ isSecret: (String) -> Bool) {
        while index < bytes.count {
            let start = index
            guard bytes[index] == UInt8(ascii: "\"") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            skipString()
            result += bytes[start..<index]
            guard isBeforeColon else { continue }
            let name = Self.name(bytes[start..<index])
            if isSecret(name) { redactValue(isCount: SecretName.isCount(name)) }
        }
    }

    /// Returns the text of a string with its escapes decoded (RFC 8259, section 7); a malformed one as it is.
    private static func name(_ literal: ArraySlice<UInt8>) -> String {
        let decoded = try? JSONDecoder().decode([String].self, from: Data("[".utf8 + literal + "]".utf8))
        return decoded?.first ?? String(decoding: literal, as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private var isBeforeColon: Bool { bytes[index...].first { !Self.isSpace($0) } == UInt8(ascii: ":") }

    /// Moves past the string at the index, which ends with the same quote as it begins.
    private mutating func skipString() {
        let quote = bytes[index]
        index += 1
        while index < bytes.count, bytes[index] != quote { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        index = min(index + 1, bytes.count)
    }

    /// Redacts everything up to the comma or bracket that ends a member, whose numbers stay if it is a count.
    private mutating func redactValue(isCount: Bool) {
        var isCount = isCount
        var isName = false
        var closings: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","):
                if byte == UInt8(ascii: ",") { if closings.isEmpty { return } } else { closings.append(byte + 2) }
                isName = closings.last == UInt8(ascii: "}")
                if isName { isCount = false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if closings.isEmpty { return }
                // A bracket of the other kind ends nothing, so that what follows stays secret.
                if closings.last == byte { closings.removeLast() }
                isCount = false
            case UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: break
            default:
                redactToken(&isName, &isCount)
                continue
            }
            result.append(byte)
            index += 1
        }
    }

    /// Redacts a string, a name, or anything else up to a comma, bracket or quote.
    private mutating func redactToken(_ isName: inout Bool, _ isCount: inout Bool) {
        let start = index
        let isString = bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'")
        if isString {
            skipString()
        } else {
            while index < bytes.count, !",{}[]\"".utf8.contains(bytes[index]) { index += 1 }
            while Self.isSpace(bytes[index - 1]) { index -= 1 }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        let isNumber = text.utf8.allSatisfy("0123456789+-.eE".utf8.contains) && Double(text) != nil
        if isString && isName && isBeforeColon {
            isCount = SecretName.isCount(text)
            result += text.utf8
        } else if !isString && (["true", "false", "null"].contains(text) || (isNumber && isCount)) {
            result += text.utf8
        } else {
            result += (isNumber ? "0" : "\"\(SecretName.placeholder)\"").utf8
        }
        isName = false
    }
}
