/// The grammar of RFC 9110 that names and values on the wire have to follow.
package enum HTTPSyntax {
    /// Whether the text is a token (RFC 9110, section 5.6.2): what header names and methods are made of.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Whether the text can be a header value: no CR, LF or NUL (RFC 9110, section 5.5).
    package static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in byte != 0x0D && byte != 0x0A && byte != 0 }
    }

    /// The text as a quoted string (RFC 9110, section 5.6.4) unless it is a token already.
    static func tokenOrQuotedString(_ text: String) -> String {
        guard !isToken(text) else { return text }
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// Whether the byte may stand in a token.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            tokenPunctuation.contains(byte)
        }
    }

    private static let tokenPunctuation = Set("!#$%&'*+-.^_`|~".utf8)
}
