import FerryFormats
import Foundation
import Testing

@Suite("Default headers")
struct DefaultHeadersTests {
    @Test("Accept-Language names at most six languages, with AFNetworking's weights")
    func acceptLanguage() {
        let all = ["en", "fr", "de", "ja", "nl", "it", "es", "pt"]
        #expect(
            HTTPHeaders.acceptLanguage(for: all)
                == "en;q=1, fr;q=0.9, de;q=0.8, ja;q=0.7, nl;q=0.6, it;q=0.5"
        )
        #expect(HTTPHeaders.acceptLanguage(for: ["de-DE"]) == "de-DE;q=1")
        #expect(HTTPHeaders.acceptLanguage(for: []) == "")
    }

    @Test(
        "User-Agent names the program, its system and Ferry, in ASCII tokens",
        arguments: [
            ("tool", "1.2", "Debian GNU/Linux 12 (bookworm)", "tool/1.2 (Debian GNU/Linux 12 bookworm) Ferry/0.1.0"),
            ("Größe é", nil, "Linux", "Grosse-e (Linux) Ferry/0.1.0"),
            ("日本", nil, "", "ri-ben Ferry/0.1.0"),
            ("", nil, "a\r\nb\\)", "Swift (ab) Ferry/0.1.0"),
            ("a\r\nX: y", "1\n", "L", "aX--y/1 (L) Ferry/0.1.0"),
        ] as [(String, String?, String, String)]
    )
    func userAgent(product: String, version: String?, system: String, expected: String) {
        #expect(HTTPHeaders.userAgent(product: product, version: version, system: system) == expected)
    }

    @Test("The defaults are valid and name both fields")
    func defaults() throws {
        try HTTPHeaders.default.validate()
        #expect(HTTPHeaders.default["User-Agent"]?.hasSuffix("Ferry/0.1.0") == true)
        #expect(HTTPHeaders.default["User-Agent"]?.utf8.allSatisfy { byte in byte < 0x80 } == true)
        if let first = Locale.preferredLanguages.first {
            #expect(HTTPHeaders.default["Accept-Language"]?.hasPrefix("\(first);q=1") == true)
        }
    }
}
