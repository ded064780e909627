import FerryFormats
import Foundation
import Testing

@Suite("Percent-escaping")
struct PercentEscapeTests {
    @Test(
        "Each reserved character",
        arguments: [
            (":", "%3A"), ("#", "%23"), ("[", "%5B"), ("]", "%5D"), ("@", "%40"), ("!", "%21"), ("$", "%24"),
            ("&", "%26"),
            ("'", "%27"), ("(", "%28"), (")", "%29"), ("*", "%2A"), ("+", "%2B"), (",", "%2C"), (";", "%3B"),
            ("=", "%3D"),
            ("%", "%25"), (" ", "%20"), ("\"", "%22"), ("<", "%3C"), (">", "%3E"), ("\\", "%5C"), ("^", "%5E"),
            ("`", "%60"), ("{", "%7B"), ("|", "%7C"), ("}", "%7D"), ("\u{7F}", "%7F"), ("\u{0}", "%00"),
            ("\r\n", "%0D%0A"),
            ("\t", "%09"), ("%20", "%2520"),
        ]
    )
    func reserved(text: String, expected: String) {
        #expect(QueryEncoding.percentEscape(text) == expected)
    }

    @Test("Letters, digits and -._~/? are not escaped")
    func unreserved() {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?"
        #expect(QueryEncoding.percentEscape(text) == text)
    }

    @Test(
        "All other characters are escaped as UTF-8",
        arguments: [
            ("é", "%C3%A9"), ("日本", "%E6%97%A5%E6%9C%AC"), ("😀", "%F0%9F%98%80"),
            ("👨‍👩‍👧", "%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"),
            ("e\u{301}", "e%CC%81"), ("\u{10FFFF}", "%F4%8F%BF%BF"),
        ]
    )
    func unicode(text: String, expected: String) {
        #expect(QueryEncoding.percentEscape(text) == expected)
    }

    @Test("Long texts survive escaping and unescaping, composed characters included")
    func long() {
        let text = String(repeating: "日本語👨‍👩‍👧é ", count: 20_000)
        #expect(QueryEncoding.percentEscape(text).removingPercentEncoding == text)
    }
}
