import FerryTesting
import Testing

@testable import FerrySession

@Suite("Cookies", .timeLimit(.minutes(5)))
struct CookieTests {
    @Test("The times of cookies that are no longer in the storage are forgotten once there are many")
    func forgottenTimes() throws {
        let now = Date().addingTimeInterval(1_000)
        let cookies = try (0...2 * CookieStoreRule.maximumTotal).map { index in
            try #require(
                HTTPCookie(properties: [.name: "c\(index)", .value: "", .domain: "example.com", .path: "/"])
            )
        }
        let known = CookieIndex([cookies[0]])
        var times = CookieTimes()
        times.noteUse(of: Array(cookies.dropFirst()), among: known, at: now)
        #expect(times.lastUse(of: cookies[1]) == now)
        times.noteUse(of: [cookies[0]], among: known, at: now)
        #expect(times.lastUse(of: cookies[0]) == now)
        #expect(times.lastUse(of: cookies[1]) < now)
    }

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

    @Test(
        "With the policy for main documents, cookies come only from the site of the main document",
        .enabled(if: (try? CurlRuntime.current().supportsPublicSuffixes) == true, "libcurl has no list of suffixes"),
        arguments: [
            ("cdn.example.com", "app.example.com", true), ("example.com", "app.example.com", true),
            ("app.example.com", "example.com", true), ("cdn.example.org", "app.example.com", false),
            ("a.github.io", "b.github.io", false), ("a.example.com", nil, true),
        ]
    )
    func mainDocument(_ host: String, _ main: String?, _ isStored: Bool) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse(headers: ["Set-Cookie": "a=1"]) }
        var options = CurlSession.Options()
        options.network.addresses = [host: ["127.0.0.1"]]
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieAcceptPolicy = .onlyFromMainDocumentDomain
        let session = CurlSession(configuration: configuration, options: options)
        var request = URLRequest(url: try #require(URL(string: "http://\(host):\(server.url.port ?? 0)/")))
        request.mainDocumentURL = main.flatMap { URL(string: "https://\($0)/page") }
        _ = try await session.data(for: request)
        #expect((configuration.httpCookieStorage?.cookies?.isEmpty == false) == isStored)
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

    @Test("Sessions with storages of their own do not share cookies, and those with a common one do")
    func jars() async throws {
        // The shared storage belongs to all tests.
        let name = "jar-\(UUID().uuidString)"
        let server = try LoopbackServer { request in
            request.path == "/set"
                ? LoopbackResponse(headers: ["Set-Cookie": "\(name)=1; Path=/"])
                : .text(request.header("Cookie") ?? "none")
        }
        let shared = URLSessionConfiguration.ephemeral
        let sessions = [
            CurlSession(configuration: shared), CurlSession(configuration: shared),
            CurlSession(configuration: .ephemeral), CurlSession(configuration: .ephemeral),
        ]
        _ = try await sessions[0].data(from: server.url("/set"))
        var seen: [String] = []
        for session in sessions {
            seen.append(String(decoding: try await session.data(from: server.url("/")).0, as: UTF8.self))
        }
        #expect(seen == ["\(name)=1", "\(name)=1", "none", "none"])
        #expect(HTTPCookieStorage.shared.cookies?.contains { $0.name == name } != true)
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
