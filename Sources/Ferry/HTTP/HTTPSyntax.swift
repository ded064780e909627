/// The grammar that names and values in HTTP messages must follow (RFC 9110).
package enum HTTPSyntax {
    /// Returns whether a text is a token (RFC 9110, section 5.6.2), as header field names and methods are.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Returns whether a text is a valid header field value: without CR, LF and NUL (RFC 9110, section 5.5).
    package static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in byte != 0x0D && byte != 0x0A && byte != 0 }
    }

    /// Returns a text as a quoted string (RFC 9110, section 5.6.4), or unchanged if it is a token.
    static func tokenOrQuotedString(_ text: String) -> String {
        guard !isToken(text) else { return text }
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// Returns whether a byte is allowed in a token.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || tokenPunctuation.contains(byte)
    }

    /// Returns whether a byte is an ASCII letter or digit.
    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static let tokenPunctuation = Set("!#$%&'*+-.^_`|~".utf8)
}
