import FerryCore
import Foundation
import Testing

@Suite struct RedirectRuleTests {
    @Test("Another origin gets no secret of the request before, but other fields and new secrets")
    func withheld() throws {
        var asked = URLRequest(url: try #require(URL(string: "https://a.test/")))
        asked.allHTTPHeaderFields = ["Authorization": "a", "Cookie": "a", "X-Key": "a", "Accept": "a"]
        var next = URLRequest(url: try #require(URL(string: "https://b.test/")))
        next.allHTTPHeaderFields = ["Authorization": "a", "Cookie": "b", "X-Key": "a", "Accept": "a"]
        let sent = RedirectRule.withholdSecrets(of: asked, in: next, ["x-key"])
        #expect(sent.allHTTPHeaderFields == ["Cookie": "b", "Accept": "a"])
        next.url = asked.url
        #expect(RedirectRule.withholdSecrets(of: asked, in: next, ["x-key"]) == next)
    }

    private func resolve(_ reference: String, base: String = "http://a/b/c/d;p?q") throws -> String? {
        RedirectRule.resolve(reference, against: try #require(URL(string: base)))?.absoluteString
    }

    /// RFC 3986, sections 5.4.1 and 5.4.2, for references with a host; the empty reference is not a `Location`.
    @Test(
        "References are resolved according to RFC 3986, section 5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
            ("g;x", "http://a/b/c/g;x"),
            ("g;x?y#s", "http://a/b/c/g;x?y#s"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"),
            // Section 5.4.2, the abnormal examples.
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"),
        ]
    )
    func references(_ row: (String, String)) throws {
        #expect(try resolve(row.0) == row.1, "\(row.0)")
    }

    /// RFC 3986, section 5.2.2: the path of a reference with a scheme or a host is changed too.
    @Test(
        "Segments of dots are removed from a reference with a host",
        arguments: [
            ("http://h/b/../g?x=/../y#/./z", "http://h/g?x=/../y#/./z"), ("//h:81/./g/.", "http://h:81/g/"),
            ("http://h/../../g", "http://h/g"), ("http://[::1]:81/a%2F/..", "http://[::1]:81/"),
            ("http://h/.g/g../...", "http://h/.g/g../..."), ("http://h?/../g", "http://h?/../g"),
            ("http://u:p@h/x y/../%2e", "http://u:p@h/%2e"),
        ]
    )
    func dots(_ row: (String, String)) throws {
        #expect(try resolve(row.0) == row.1, "\(row.0)")
    }

    @Test(
        "References without a host are not followed",
        arguments: [
            "", "   ", "g:h", "mailto:a@b.test", "http:g", "http://", "http:///x", "data:,x", "javascript:alert(1)",
            "http://:80/",
        ]
    )
    func hostless(_ reference: String) throws {
        #expect(try resolve(reference) == nil)
    }

    /// RFC 9110, section 10.2.2: the fragment is inherited unless the reference has its own.
    @Test("Fragments are inherited") func fragments() throws {
        #expect(try resolve("g", base: "http://a/b#old") == "http://a/g#old")
        #expect(try resolve("g#new", base: "http://a/b#old") == "http://a/g#new")
        #expect(try resolve("http://c.test/", base: "http://a/b#old") == "http://c.test/#old")
    }

    @Test(
        "Bytes that a URL may not contain are percent-encoded, and nothing else is changed",
        arguments: [
            ("/a%2Fb", "http://a/a%2Fb"), ("/a%2fb", "http://a/a%2fb"), ("/a b", "http://a/a%20b"),
            ("/é", "http://a/%C3%A9"),
            ("/x?q=a%20b+c&d=%2F", "http://a/x?q=a%20b+c&d=%2F"), ("/a|b", "http://a/a%7Cb"),
            ("/a\\b", "http://a/a%5Cb"),
            ("/%E9", "http://a/%E9"), ("/a%2Fb c", "http://a/a%2Fb%20c"), ("/a[1]%2Fb", "http://a/a%5B1%5D%2Fb"),
            ("/?a[]=1%2F2", "http://a/?a%5B%5D=1%2F2"), ("/%zz%2F", "http://a/%25zz%2F"), ("  /g\t", "http://a/g"),
            ("/a\u{7F}b", "http://a/a%7Fb"), ("/100%", "http://a/100%25"),
            ("/a#b#%2F", "http://a/a#b%23%2F"), ("//[::1]:81/[%2F]", "http://[::1]:81/%5B%2F%5D"),
        ]
    )
    func encoding(_ row: (String, String)) throws {
        #expect(try resolve(row.0) == row.1, "\(row.0)")
    }

    @Test("The user and port of the base are kept with its host, and dropped with another one")
    func authority() throws {
        #expect(try resolve("/g", base: "http://u:p@a:81/b") == "http://u:p@a:81/g")
        #expect(try resolve("//c/g", base: "http://u:p@a:81/b") == "http://c/g")
        #expect(try resolve("http://[::1]:8080/x") == "http://[::1]:8080/x")
    }

    @Test(
        "User and password are those of the request, at its origin only, however the location is written",
        arguments: [
            ("/g", "http://u:p%40@a:81/g"), ("http://a:81/g", "http://u:p%40@a:81/g"),
            ("//A:81/g", "http://u:p%40@A:81/g"), ("http://x:y@a:81/g", "http://u:p%40@a:81/g"),
            ("http://a/g", "http://a/g"), ("https://a:81/g", "https://a:81/g"), ("http://x:y@c/g", "http://c/g"),
        ]
    )
    func users(_ location: String, _ expected: String) throws {
        let request = URLRequest(url: try #require(URL(string: "http://u:p%40@a:81/b")))
        let next = RedirectRule.redirect(request, status: 302, location: location, allowsDowngrade: false)
        #expect(next?.request.url?.absoluteString == expected)
    }

    @Test(
        "A location to which no request can be sent is no redirect",
        arguments: ["http://a:65536/", "http://a:0/", "http://a b/", "http://[::g]/", "http:///x", "http://a:x/"]
    )
    func unusable(_ location: String) throws { #expect(try resolve(location) == nil) }

    @Test("The URL of a WebSocket becomes that of its handshake")
    func handshakes() throws {
        let rows = [("ws://a/b", "http://a/b"), ("WSS://a:1/b", "https://a:1/b"), ("ftp://a/", "ftp://a/")]
        for (text, expected) in rows {
            let url = try #require(URL(string: text))
            #expect(RedirectRule.handshakeURL(url).absoluteString.lowercased() == expected)
        }
    }

    /// RFC 9110, sections 15.4.2 to 15.4.9.
    @Test("The method and body depend on status and method") func methods() {
        let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]
        for method in methods {
            for status in [301, 302] {
                let rule = RedirectRule.method(method, status: status)
                #expect(rule.method == (method == "POST" ? "GET" : method))
                #expect(rule.keepsBody == (method != "POST"))
            }
            let seeOther = RedirectRule.method(method, status: 303)
            #expect(seeOther.method == (method == "HEAD" ? "HEAD" : "GET"))
            #expect(!seeOther.keepsBody)
            for status in [307, 308] {
                let rule = RedirectRule.method(method, status: status)
                #expect(rule.method == method && rule.keepsBody)
            }
        }
    }

    @Test("Only 301, 302, 303, 307 and 308 are redirects") func statuses() {
        #expect((100...599).filter(RedirectRule.isRedirect) == [301, 302, 303, 307, 308])
    }

    private func redirect(
        from: String,
        to location: String,
        status: Int = 302,
        method: String = "GET",
        headers: [String: String] = [:],
        allowsDowngrade: Bool = false
    ) throws -> (request: URLRequest, keepsBody: Bool)? {
        var request = URLRequest(url: try #require(URL(string: from)))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if method == "POST" || method == "PUT" { request.httpBody = Data("body".utf8) }
        return RedirectRule.redirect(
            request,
            status: status,
            location: location,
            allowsDowngrade: allowsDowngrade,
            sensitiveHeaders: ["x-api-key"]
        )
    }

    private let secrets = [
        "Authorization": "Bearer t", "cookie": "a=b", "Proxy-Authorization": "Basic x", "X-Api-Key": "k",
        "Accept": "text/*",
        "Host": "other.test",
    ]

    @Test(
        "Credentials and a Host field are only sent to the same scheme, host and port",
        arguments: [
            ("http://a.test/", "/x", true), ("http://a.test/", "http://a.test:80/x", true),
            ("http://a.test/", "http://A.TEST/", true),
            ("http://a.test/", "http://b.test/", false), ("http://a.test/", "http://a.test:81/", false),
            ("http://a.test/", "https://a.test/", false), ("http://a.test/", "//evil.test/", false),
            ("http://a.test/", "http://a.test@evil.test/", false), ("http://a.test/", "http://sub.a.test/", false),
            ("http://a.test/", "http://a.test.evil.test/", false),
            ("http://a.test/", "http://a.test./", false), ("http://a.test./", "http://a.test/", false),
            ("http://a.test./", "http://A.test.:80/", true),
        ]
    )
    func credentials(_ row: (String, String, Bool)) throws {
        let next = try #require(try redirect(from: row.0, to: row.1, headers: secrets)).request
        for name in ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "Host"] {
            #expect((next.value(forHTTPHeaderField: name) != nil) == row.2, "\(name)")
        }
        #expect(next.value(forHTTPHeaderField: "Accept") == "text/*")
    }

    @Test(
        "A Referer of https is not sent to another origin (RFC 9110, section 10.1.3)",
        arguments: [
            ("https://a.test/", "/x", "https://a.test/reset?token=1", true),
            ("https://a.test/", "https://b.test/", "https://a.test/reset?token=1", false),
            ("https://a.test/", "https://b.test/", "HTTPS://a.test/", false),
            ("https://a.test/", "https://b.test/", "http://a.test/", true),
            ("http://a.test/", "http://b.test/", "http://a.test/", true),
        ]
    )
    func referer(_ row: (from: String, to: String, value: String, isSent: Bool)) throws {
        let next = try #require(try redirect(from: row.from, to: row.to, headers: ["Referer": row.value])).request
        #expect((next.value(forHTTPHeaderField: "Referer") == row.value) == row.isSent)
    }

    @Test("Headers that describe a body are dropped with it") func bodyHeaders() throws {
        let names = [
            "Content-Type", "content-length", "Content-Encoding", "Content-Language", "Content-Location", "Content-MD5",
            "Content-Range", "content-digest", "Content-Disposition", "Digest", "Last-Modified", "Repr-Digest",
            "Transfer-Encoding", "Expect", "Trailer",
        ]
        let headers = Dictionary(uniqueKeysWithValues: (names + ["X"]).map { ($0, "y") })
        let dropped = try #require(try redirect(from: "http://a.test/", to: "/b", method: "POST", headers: headers))
        #expect(dropped.request.allHTTPHeaderFields?.keys.sorted() == ["X"])
        #expect(dropped.request.httpBody == nil && !dropped.keepsBody)
        #expect(dropped.request.httpMethod == "GET")
        let kept = try #require(
            try redirect(from: "http://a.test/", to: "/b", status: 307, method: "POST", headers: headers)
        )
        for name in names { #expect(kept.request.value(forHTTPHeaderField: name) == "y", "\(name)") }
        #expect(kept.request.httpBody == Data("body".utf8) && kept.keepsBody)
    }

    @Test("https redirects to http only if that is allowed") func downgrade() throws {
        #expect(try redirect(from: "https://a.test/", to: "http://a.test/") == nil)
        #expect(try redirect(from: "https://a.test/", to: "http://a.test/", allowsDowngrade: true) != nil)
        #expect(try redirect(from: "http://a.test/", to: "https://a.test/") != nil)
        #expect(try redirect(from: "https://a.test/", to: "//b.test/")?.request.url?.scheme == "https")
    }

    @Test("Other schemes and other statuses are not followed") func refused() throws {
        for location in [
            "ftp://a.test/", "file:///etc/passwd", "mailto:x@a.test", "gopher://a.test/", "about:blank", "",
        ] {
            #expect(try redirect(from: "http://a.test/", to: location) == nil, "\(location)")
        }
        for status in [200, 300, 304, 305, 306, 399] {
            #expect(try redirect(from: "http://a.test/", to: "/b", status: status) == nil, "\(status)")
        }
    }

    @Test("Random references never trap, and followed ones are http or https with a host") func fuzz() throws {
        var random = SeededGenerator(5)
        let base = try #require(URL(string: "http://a.test/b/c?d#e"))
        for _ in 0..<2000 {
            let location = random.text(upTo: 30, from: "http://:@[]?#./%2F\\ax é")
            let next = RedirectRule.redirect(
                URLRequest(url: base),
                status: 302,
                location: location,
                allowsDowngrade: false
            )
            guard let url = next?.request.url else { continue }
            #expect(url.scheme == "http" || url.scheme == "https", "\(location)")
            #expect(url.host?.isEmpty == false, "\(location)")
        }
    }
}
