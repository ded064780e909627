import FerryCore
import Testing

@Suite struct HeaderRuleTests {
    /// RFC 9110, section 5.6.2: `tchar`.
    @Test("A token has exactly the characters of RFC 9110, section 5.6.2") func tokenCharacters() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8(0)...127 {
            let string = String(UnicodeScalar(byte))
            #expect(HeaderRule.isToken(string) == allowed.contains(byte), "byte \(byte)")
            #expect(HeaderRule.isToken("a\(string)b") == allowed.contains(byte), "byte \(byte) inside")
        }
    }

    @Test(
        "An empty string, blanks and letters beyond ASCII are not tokens",
        arguments: ["", " ", "a b", "é", "a\u{301}"]
    )
    func noToken(_ string: String) {
        #expect(!HeaderRule.isToken(string))
    }

    /// RFC 9110, section 5.5: CR, LF and NUL are dangerous and must not be sent.
    @Test("A value may contain any byte except CR, LF and NUL") func valueBytes() {
        for byte in UInt8(0)...127 {
            let string = "x" + String(UnicodeScalar(byte)) + "y"
            #expect(HeaderRule.isValue(string) == ![0, 10, 13].contains(byte), "byte \(byte)")
        }
        #expect(HeaderRule.isValue(""))
        #expect(HeaderRule.isValue("bücher 本"))
        // A grapheme of two scalars must not hide either of them.
        #expect(!HeaderRule.isValue("a\r\nX: y"))
        #expect(!HeaderRule.isValue("\u{0D}\u{301}"))
    }
}
