import FerryCore
import Testing

@Suite("Cookie rules")
struct CookieRuleTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func parse(_ field: String, _ url: String) throws -> HTTPCookie? {
        CookieRule.parse(field, from: try #require(URL(string: url)), now: Self.now) { _, domain in
            domain.contains(".") && domain != "co.uk"
        }
    }

    struct Row: Sendable {
        var field: String
        var url = "http://www.example.com/a/b"
        /// `name=value domain path`, or `nil` for an ignored cookie.
        var result: String?
    }

    @Test(
        "A Set-Cookie field is parsed according to RFC 6265, sections 5.2 and 5.3",
        arguments: [
            Row(field: "a=1", result: "a=1 www.example.com /a"),
            Row(field: "a=1; Path=/", result: "a=1 www.example.com /"),
            Row(field: "a=1; Path=relative", result: "a=1 www.example.com /a"),
            Row(field: " a = 1 ; path=/x", result: "a=1 www.example.com /x"),
            Row(field: "a=b=c", result: "a=b=c www.example.com /a"),
            Row(field: "a=\"1, 2\"; Path=/", result: "a=\"1, 2\" www.example.com /"),
            Row(field: "a=1; Domain=example.com; Path=/", result: "a=1 .example.com /"),
            Row(field: "a=1; Domain=.EXAMPLE.com; Path=/", result: "a=1 .example.com /"),
            Row(field: "a=1; Domain=; Path=/", result: "a=1 www.example.com /"),
            // RFC 6265bis, section 5.7: the last Domain counts, and an empty one is none.
            Row(field: "a=1; Domain=other.com; Domain=; Path=/", result: "a=1 www.example.com /"),
            Row(field: "a=1; Domain=; Domain=other.com; Path=/", result: nil),
            Row(field: "a=1; Domain=other.com", result: nil),
            Row(field: "a=1; Domain=exemple.com", result: nil),
            Row(field: "a=1; Domain=com", result: nil),
            Row(field: "a=1; Domain=deeper.www.example.com", result: nil),
            Row(field: "a=1; Domain=co.uk", url: "http://shop.co.uk/", result: nil),
            Row(field: "a=1; Domain=0.0.1", url: "http://127.0.0.1/", result: nil),
            Row(field: "a=1; Secure", result: nil),
            Row(field: "a=1; Secure", url: "https://www.example.com/", result: "a=1 www.example.com /"),
            Row(field: "__Secure-a=1", url: "https://www.example.com/", result: nil),
            Row(
                field: "__Secure-a=1; Secure",
                url: "https://www.example.com/",
                result: "__Secure-a=1 www.example.com /"
            ),
            Row(
                field: "__Host-a=1; Secure; Path=/",
                url: "https://www.example.com/",
                result: "__Host-a=1 www.example.com /"
            ),
            Row(field: "__Host-a=1; Secure", url: "https://www.example.com/", result: nil),
            Row(field: "__Host-a=1; Secure; Path=/; Domain=example.com", url: "https://www.example.com/", result: nil),
            Row(field: "__Host-a=1; Secure; Path=/; Domain=192.0.2.1", url: "https://192.0.2.1/", result: nil),
            // RFC 6265bis, section 5.6: a pair without an equals sign is the value of a cookie without a name.
            Row(field: "alone", result: "=alone www.example.com /a"),
            Row(field: "=nameless", result: "=nameless www.example.com /a"),
            Row(field: "\"quoted;b\"=c", result: "=\"quoted www.example.com /a"),
            Row(field: "=", result: nil),
            Row(field: " \t", result: nil),
            Row(field: "; Path=/", result: nil),
            Row(field: "=__Secure-a=1; Secure", url: "https://www.example.com/", result: nil),
            Row(field: "__hOST-a; Secure; Path=/", url: "https://www.example.com/", result: nil),
            Row(field: "=" + String(repeating: "x", count: 4097), result: nil),
            // Control characters make the whole field invalid, wherever they are; a tab does not.
            Row(field: "a=b\u{1}c", result: nil),
            Row(field: "a=1; Path=/\u{7F}", result: nil),
            Row(field: "a=1; \u{0}", result: nil),
            Row(field: "a=b\u{0}c", result: nil),
            Row(field: "a=b\rc", result: nil),
            Row(field: "a=b\tc; Path=/", result: "a=b\tc www.example.com /"),
            Row(field: "\ta\t=\t1\t \t;\tPath\t=\t/\t", result: "a=1 www.example.com /"),
            Row(field: "a=" + String(repeating: "x", count: 5000), result: nil),
            Row(field: "a=" + String(repeating: "x", count: 4096), result: nil),
            Row(field: "a=1; Path=/" + String(repeating: "x", count: 1024), result: "a=1 www.example.com /a"),
            Row(field: "a=1; Domain=" + String(repeating: "x", count: 1025), result: "a=1 www.example.com /a"),
            // Resolvers read the last number of a host in any notation: these are addresses, or parts of them.
            Row(field: "a=1; Domain=0250.01", url: "http://0300.0250.01/", result: nil),
            Row(field: "a=1; Domain=0250.01", url: "http://0xC0.0250.01/", result: nil),
            Row(field: "a=1; Domain=1.0x7f", url: "http://x.1.0x7f/", result: nil),
            Row(field: "a=1; Domain=0xC0.0250.01", url: "http://0xC0.0250.01/", result: "a=1 192.168.0.1 /"),
            Row(field: "a=1; Domain=192.168.0.1", url: "http://0xC0.0250.01/", result: "a=1 192.168.0.1 /"),
            Row(field: "a=1", url: "http://0300.0250.01/", result: "a=1 192.168.0.1 /"),
            Row(field: "a=1; Domain=::1", url: "http://[0:0::1]/", result: "a=1 ::1 /"),
            Row(field: "a=1", url: "http://EXAMPLE.com./", result: "a=1 example.com. /"),
            Row(field: "a=1; Domain=example.com.", url: "http://example.com/", result: nil),
            Row(field: "a=1; Domain=example.com.", url: "http://example.com./", result: "a=1 example.com. /"),
            Row(field: "a=1; Domain=com.", url: "http://example.com./", result: nil),
            Row(field: "a=1; Domain=example.com", url: "http://example.com./", result: nil),
            Row(field: "a=1; Domain=example.com", url: "http://www.example.com./", result: nil),
            Row(field: "a=1; Domain=localhost.", url: "http://localhost/", result: "a=1 localhost /"),
            Row(field: "a=1; Domain=com.", url: "http://com./", result: "a=1 com. /"),
            // Section 5.7: an attribute is neither decoded nor encoded.
            Row(field: "a=1; Domain=%65xample.com", result: nil),
            Row(field: "a=1; Domain=b\u{FC}cher.example", url: "http://www.xn--bcher-kva.example/", result: nil),
            Row(
                field: "a=1; Domain=xn--bcher-kva.example",
                url: "http://www.xn--bcher-kva.example/",
                result: "a=1 .xn--bcher-kva.example /"
            ),
            // A combining mark does not hide the separator before it.
            Row(field: "a=1;\u{301}x; Path=/", result: "a=1 www.example.com /"),
        ]
    )
    func parsing(_ row: Row) throws {
        let cookie = try parse(row.field, row.url)
        #expect(cookie.map { "\($0.name)=\($0.value) \($0.domain) \($0.path)" } == row.result, "\(row.field)")
    }

    @Test(
        "Max-Age takes precedence over Expires, and dates are parsed leniently",
        arguments: [
            ("Max-Age=60", 60.0), ("Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT", 60), ("Max-Age=x", nil),
            ("Expires=Tue, 14-Nov-23 22:14:20 GMT", 60), ("Expires=Tue Nov 14 22:14:20 2023", 60),
            ("Expires=14 Nov 2023 22:14:20", 60), ("Expires=14 Nov 2099 22:14:20", 34_560_000),
            ("Max-Age=99999999999", 34_560_000), ("Max-Age=" + String(repeating: "1", count: 1025), nil),
            ("Expires=14 Nov 2023 22:14:20 " + String(repeating: "x", count: 1024), nil), ("Expires=nonsense", nil),
            ("Expires=32 Nov 2023 22:14:20", nil), ("Expires=31 Feb 2024 22:14:20", nil),
            // Attributes of up to 1,024 bytes are read.
            ("Expires=14 Nov 2023 22:14:20 " + String(repeating: "x", count: 1003), 60),
            ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", 34_560_000), ("Expires=14 Nov 2023 22:14:20; Expires=x", 60),
        ] as [(String, Double?)]
    )
    func expiry(_ attributes: String, _ seconds: Double?) throws {
        let cookie = try #require(try parse("a=1; " + attributes, "http://e.com/"))
        #expect(cookie.expiresDate.map { $0.timeIntervalSince(Self.now) } == seconds)
    }

    @Test("A Max-Age of zero or less is in the past", arguments: ["0", "-1"])
    func deletion(_ age: String) throws {
        let cookie = try #require(try parse("a=1; Max-Age=\(age)", "http://e.com/"))
        #expect(cookie.expiresDate.map { $0 < Self.now } == true)
    }

    @Test(
        "Paths match according to RFC 6265, section 5.1.4",
        arguments: [
            ("/a", "/a", true), ("/a/b", "/a", true), ("/ab", "/a", false), ("/a/b", "/a/", true), ("/", "/", true),
            ("/a", "/a/", false), ("/b", "/a", false),
            // Neither path is decoded.
            ("/f%6Fo/bar", "/foo/bar", false), ("/foo/bar", "/f%6Fo/bar", false), ("/%C3%A9", "/%c3%a9", false),
        ]
    )
    func paths(_ path: String, _ cookiePath: String, _ isMatch: Bool) {
        #expect(CookieRule.pathMatches(path, cookiePath) == isMatch)
    }

    /// Returns the `Cookie` field for cookies that were set one after another.
    private func header(_ cookies: [HTTPCookie], to url: String, reversed: Bool = false) throws -> String? {
        let request = try #require(URL(string: url).flatMap(CookieRequest.init))
        let stored = reversed ? cookies.reversed() : cookies
        let chosen = CookieRule.cookies(for: request, from: stored, now: Self.now)
        let sorted = CookieRule.sorted(chosen) { cookie in
            TimeInterval(cookies.firstIndex { $0 === cookie } ?? 0)
        }
        return CookieRule.header(sorted)
    }

    @Test("Cookies with equal paths are sent in the order in which they were set (RFC 6265, section 5.4)")
    func order() throws {
        let cookies = try ["z=1; Path=/", "m=2; Path=/a", "b=3; Path=/", "a=4; Path=/", "n=5; Path=/a"]
            .compactMap { try parse($0, "http://e.com/") }
        #expect(try header(cookies, to: "http://e.com/a", reversed: true) == "m=2; n=5; z=1; b=3; a=4")
    }

    @Test("For a cookie without a name, only the value is sent (RFC 6265bis, section 5.8.3)")
    func nameless() throws {
        let cookies = try ["token; Path=/", "a=; Path=/"].compactMap { try parse($0, "http://e.com/") }
        #expect(try header(cookies, to: "http://e.com/") == "token; a=")
    }

    @Test(
        "A stored cookie is sent to its host in any spelling, and to no other address",
        arguments: [
            ("192.168.0.1", "http://0300.0250.01/", true), ("0xC0.0250.01", "http://192.168.0.1/", true),
            (".0250.01", "http://168.0.0.1/", false), (".0250.01", "http://0300.0250.01/", false),
            (".192.168.0.1", "http://192.168.0.1/", true), ("[::1]", "http://[::1]/", true),
            ("::1", "http://[0::1]/", true), ("EXAMPLE.com", "http://example.com/", true),
            (".Example.com", "http://a.example.COM/", true), (".example.com", "http://badexample.com/", false),
            (".Example.com", "http://a.example.com./", false), (".example.com.", "http://a.Example.com./", true),
            ("example.com", "http://example.com./", false), ("localhost", "http://localhost./", true),
            ("", "http://e.com/", false), (".", "http://e.com/", false),
        ]
    )
    func storedDomain(_ domain: String, _ url: String, _ isSent: Bool) throws {
        let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "1", .domain: domain, .path: "/"]))
        #expect(try header([cookie], to: url) == (isSent ? "a=1" : nil))
    }

    @Test(
        "A stored cookie that would end the field or begin another cookie is not sent",
        arguments: [
            ("a", "1\r\nX: y"), ("a", "1\n"), ("a\r\nX: y", "1"), ("a", "1; b=2"), ("a;b", "1"), ("a=b", "1"),
        ]
    )
    func unwritable(_ name: String, _ value: String) throws {
        let cookie = try #require(HTTPCookie(properties: [.name: name, .value: value, .domain: "e.com", .path: "/"]))
        #expect(try header([cookie], to: "http://e.com/") == nil)
    }

    @Test("Longer paths come first, and Secure, expired and foreign cookies are not sent")
    func choice() throws {
        let cookies = try [
            "short=1; Path=/", "long=2; Path=/a/b", "other=3; Path=/c", "old=4; Path=/; Max-Age=0",
        ].compactMap { try parse($0, "http://e.com/") }
        let secure = try #require(try parse("secure=5; Path=/; Secure", "https://e.com/"))
        #expect(try header(cookies + [secure], to: "http://e.com/a/b/c") == "long=2; short=1")
        #expect(try header(cookies + [secure], to: "https://e.com/") == "short=1; secure=5")
        #expect(try header(cookies + [secure], to: "http://sub.e.com/") == nil)
        #expect(try header(cookies + [secure], to: "http://e.com.evil.org/") == nil)
    }
}
