import FerryTesting
import Testing

@testable import FerrySession

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
            Row(field: "a=1; Domain=other.com", result: nil),
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

@Suite("Cookies", .timeLimit(.minutes(5)))
struct CookieTests {
    @Test(
        "A cookie for a public suffix is one for its host alone",
        .enabled(if: (try? CurlRuntime.current().supportsPublicSuffixes) == true, "libcurl has no list of suffixes"),
        arguments: [("github.io", true), ("co.uk", true), ("localhost", true), ("example.com", false)]
    )
    func publicSuffix(_ host: String, _ isSuffix: Bool) async throws {
        let server = try LoopbackServer { request in
            request.path == "/set"
                ? LoopbackResponse(headers: ["Set-Cookie": "a=1; Domain=\(host); Path=/"])
                : .text(request.header("Cookie") ?? "none")
        }
        var options = CurlSession.Options()
        options.network.addresses = [host: ["127.0.0.1"], "other.\(host)": ["127.0.0.1"]]
        let session = CurlSession(configuration: .ephemeral, options: options)
        func text(_ host: String, _ path: String = "/") async throws -> String {
            let url = try #require(URL(string: "http://\(host):\(server.url.port ?? 0)\(path)"))
            return String(decoding: try await session.data(from: url).0, as: UTF8.self)
        }
        _ = try await text(host, "/set")
        #expect(try await text(host) == "a=1")
        #expect(try await text("other.\(host)") == (isSuffix ? "none" : "a=1"))
    }

    @Test("The next request sends all cookies of a response, including those of a redirect")
    func roundTrip() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/set":
                var response = LoopbackResponse.redirect(to: "/next/page")
                response.headers.add("Set-Cookie", "a=1; Path=/")
                response.headers.add("Set-Cookie", "b=2; Path=/next; Expires=Wed, 09 Jun 2100 10:18:14 GMT")
                response.headers.add("Set-Cookie", "c=3; Path=/elsewhere")
                return response
            case "/delete":
                var response = LoopbackResponse.text("gone")
                response.headers.add("Set-Cookie", "a=; Path=/; Max-Age=0")
                return response
            default: return .text(request.headers["Cookie"] ?? "none")
            }
        }
        let session = CurlSession(configuration: .ephemeral)
        let text = { (path: String) in
            String(decoding: try await session.data(from: server.url(path)).0, as: UTF8.self)
        }
        #expect(try await text("/set") == "b=2; a=1")
        #expect(try await text("/") == "a=1")
        _ = try await text("/delete")
        #expect(try await text("/") == "none")
        #expect(try await text("/elsewhere/x") == "c=3")

        var byHand = URLRequest(url: server.url("/elsewhere"))
        byHand.setValue("mine=1", forHTTPHeaderField: "Cookie")
        #expect(String(decoding: try await session.data(for: byHand).0, as: UTF8.self) == "mine=1")
        var without = URLRequest(url: server.url("/elsewhere"))
        without.httpShouldHandleCookies = false
        #expect(String(decoding: try await session.data(for: without).0, as: UTF8.self) == "none")
    }

    @Test(
        "The configuration disables cookies",
        arguments: ["storage", "policy", "sending"]
    )
    func switchedOff(_ how: String) async throws {
        let server = try LoopbackServer { request in
            var response = LoopbackResponse.text(request.headers["Cookie"] ?? "none")
            response.headers.add("Set-Cookie", "a=1; Path=/")
            return response
        }
        let configuration = URLSessionConfiguration.ephemeral
        switch how {
        case "storage": configuration.httpCookieStorage = nil
        case "policy": configuration.httpCookieAcceptPolicy = .never
        default: configuration.httpShouldSetCookies = false
        }
        let session = CurlSession(configuration: configuration)
        for _ in 0..<2 {
            let (data, _) = try await session.data(from: server.url)
            #expect(String(decoding: data, as: UTF8.self) == "none")
        }
    }

    @Test("A cookie that is set again keeps its position (RFC 6265bis, section 5.7)")
    func keepsPlace() async throws {
        let server = try LoopbackServer { request in
            var response = LoopbackResponse.text(request.headers["Cookie"] ?? "none")
            for field in request.query["set"]?.split(separator: "/").map(String.init) ?? [] {
                response.headers.add("Set-Cookie", field)
            }
            return response
        }
        let session = CurlSession(configuration: .ephemeral)
        func sent(setting fields: [String] = []) async throws -> String {
            let query = fields.joined(separator: "/").addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return String(decoding: try await session.data(from: server.url("/?set=\(query)")).0, as: UTF8.self)
        }
        _ = try await sent(setting: ["z=1", "y=1", "x=1", "z=2", "alone"])
        _ = try await sent(setting: ["z=3", "y=2"])
        #expect(try await sent() == "z=3; y=2; x=1; alone")
        // A cookie that was deleted and set again is new.
        _ = try await sent(setting: ["z=; Max-Age=0", "z=4"])
        _ = try await sent(setting: ["y=; Max-Age=0"])
        _ = try await sent(setting: ["y=3"])
        #expect(try await sent() == "x=1; alone; z=4; y=3")
    }

    @Test("The cookies of one host are not sent to another one after a redirect")
    func originsAreApart() async throws {
        let second = try LoopbackServer { .text($0.headers["Cookie"] ?? "none") }
        let target = second.url("/", host: "localhost").absoluteString
        let first = try LoopbackServer { request in
            if request.path == "/go" { return .redirect(to: target) }
            var response = LoopbackResponse.text("set")
            response.headers.add("Set-Cookie", "secret=1; Path=/")
            return response
        }
        let session = CurlSession(configuration: .ephemeral)
        _ = try await session.data(from: first.url("/"))
        let (data, _) = try await session.data(from: first.url("/go"))
        #expect(String(decoding: data, as: UTF8.self) == "none")
        #expect(first.requests.last?.headers["Cookie"] == "secret=1")
    }
}
