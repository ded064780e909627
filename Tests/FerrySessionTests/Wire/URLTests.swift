import FerrySession
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct URLTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in .text("ok") }
    }

    private func get(_ string: String, options: CurlSession.Options = .init()) async throws -> LoopbackRequest {
        let url = try #require(URL(string: string))
        let (data, response) = try await Wire.session(options: options).data(from: url)
        #expect(data == Data("ok".utf8))
        // User and password are sent to the server, but must not appear in the response.
        #expect(response.url == url.presentable)
        return try #require(server.requests.last)
    }

    @Test(
        "The target is that of the URL, byte for byte, without the fragment",
        arguments: [
            "/", "/a%2Fb", "/a%2fb%20c", "/a/./b", "/a/../b", "/../x", "/a//b", "/.", "/?", "/?q", "/x?a=b&c=%20+d",
            "/a;p=1",
            "/x?y=/./..//", "/%E9", "/~a'()*!$&,=:@", "/a?b?c", "/x?%", "/a/..%2F..%2Fb",
        ]
    )
    func targets(_ target: String) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(target)#frag%20ment?x"))
        let seen = try await get(url.absoluteString)
        let sent = url.absoluteString.dropFirst("http://127.0.0.1:\(server.port)".count).prefix { $0 != "#" }
        #expect(seen.target == String(sent))
    }

    @Test("A URL without a path requests the root") func noPath() async throws {
        #expect(try await get("http://127.0.0.1:\(server.port)").target == "/")
        #expect(try await get("http://127.0.0.1:\(server.port)?a=b").target == "/?a=b")
        #expect(try await get("HTTP://127.0.0.1:\(server.port)/X").target == "/X")
    }

    @Test("IPv6 literals work") func ipv6() async throws {
        let server = try LoopbackServer(host: "::1") { _ in .text("ok") }
        let (data, response) = try await Wire.session().data(from: server.url)
        #expect(data == Data("ok".utf8))
        #expect(server.requests.first?.header("Host") == "[::1]:\(server.port)")
        #expect(response.url == server.url)
    }

    @Test("A mapped address is sent as such, in every spelling and by every kind of task", arguments: TaskKind.allCases)
    func mapped(_ kind: TaskKind) async throws {
        for host in ["[::ffff:127.0.0.1]", "[::FFFF:7F00:1]"] {
            let request = URLRequest(url: try #require(URL(string: "http://\(host):\(server.port)/")))
            #expect(try await kind.send(request, in: Wire.session()) == Data("ok".utf8))
            #expect(server.requests.last?.header("Host") == "[::ffff:127.0.0.1]:\(server.port)")
        }
    }

    @Test("A mapped address is another origin: it gets neither cookies nor credentials of the IPv4 address")
    func mappedOrigin() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/hop" {
                return .redirect(to: "http://[::ffff:127.0.0.1]:\(request.header("X-Port") ?? "")/")
            }
            if request.header("Authorization") == nil, request.path == "/first" {
                return .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            }
            return LoopbackResponse.text("ok").adding("Set-Cookie", "a=1")
        }
        let session = Wire.session(CredentialDelegate(password: "secret"))
        _ = try await session.data(from: server.url("/first"))
        let headers = ["Authorization": "Bearer token", "X-Port": "\(server.port)"]
        _ = try await session.data(for: Wire.request(server.url("/hop"), headers: headers))
        let url = try #require(URL(string: "http://[::ffff:7f00:1]:\(server.port)/"))
        _ = try await session.data(from: url)
        let mapped = server.requests.suffix(2)
        #expect(server.requests.count == 5)
        #expect(mapped.allSatisfy { $0.header("Host") == "[::ffff:127.0.0.1]:\(server.port)" })
        #expect(mapped.allSatisfy { $0.header("Authorization") == nil })
        #expect(mapped.map { $0.header("Cookie") } == [nil, "a=1"])
    }

    @Test("Names of the loopback address work") func localhost() async throws {
        #expect(try await get("http://localhost:\(server.port)/").header("Host") == "localhost:\(server.port)")
        #expect(try await get("http://x.localhost:\(server.port)/").header("Host") == "x.localhost:\(server.port)")
        #expect(try await get("http://LOCALHOST:\(server.port)/").target == "/")
    }

    @Test("International names are sent in their ASCII form") func international() async throws {
        let seen = try await get("http://b\u{FC}cher.localhost:\(server.port)/")
        #expect(seen.header("Host") == "xn--bcher-kva.localhost:\(server.port)")
    }

    /// RFC 7617: the user information of a URL is a Basic credential.
    @Test("The user of a URL becomes a credential, and is not in the target") func user() async throws {
        let seen = try await get("http://us%40er:pa%3Ass@127.0.0.1:\(server.port)/x")
        #expect(seen.target == "/x")
        #expect(seen.header("Authorization") == "Basic " + Data("us@er:pa:ss".utf8).base64EncodedString())
        let own = Wire.request(
            try #require(URL(string: "http://user:pass@127.0.0.1:\(server.port)/y")),
            headers: ["Authorization": "Bearer t"]
        )
        _ = try await Wire.session().data(for: own)
        #expect(server.requests.last?.headers.values(for: "Authorization") == ["Bearer t"])
    }

    @Test("A URL of a hundred thousand characters is sent") func long() async throws {
        let target = "/" + String(repeating: "a", count: 50_000) + "?" + String(repeating: "b", count: 50_000)
        #expect(try await get("http://127.0.0.1:\(server.port)\(target)").target == target)
    }

    @Test(
        "Schemes that are neither http nor https are refused",
        arguments: [
            "ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://127.0.0.1/", "mailto:a@b.test", "x", "/x",
            "ws://a.test/",
        ]
    )
    func schemes(_ string: String) async throws {
        let url = try #require(URL(string: string))
        let error = await Wire.error { try await Wire.session().data(from: url) }
        #expect(error?.code == .unsupportedURL)
        #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(error?.localizedDescription.isEmpty == false)
    }

    @Test(
        "URLs without a usable host or port are refused",
        arguments: [
            "http:///x", "http:x", "http://", "https:///", "http://:80/", "http://127.0.0.1:99999/",
            "http://127.0.0.1:65536/",
        ]
    )
    func hosts(_ string: String) async throws {
        guard let url = URL(string: string) else { return }
        let error = await Wire.error { try await Wire.session().data(from: url) }
        #expect(error?.code == .badURL, "\(string)")
    }

    @Test("A request without a URL is refused") func noURL() async throws {
        var request = URLRequest(url: server.url)
        request.url = nil
        let without = request
        let error = await Wire.error { try await Wire.session().data(for: without) }
        #expect(error?.code == .unsupportedURL)
    }

    @Test("Port 0 cannot be connected to") func portZero() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:0/"))
        #expect(await Wire.error { try await Wire.session().data(from: url) }?.code == .cannotConnectToHost)
    }

    // MARK: - Proxies

    @Test("A proxy in the options receives the absolute form, and the origin nothing") func proxy() async throws {
        let proxy = try LoopbackServer { _ in .text("ok") }
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: proxy.port)
        let url = try #require(URL(string: "http://origin.invalid/path?q=%2F#f"))
        let (data, _) = try await Wire.session(options: options).data(from: url)
        #expect(data == Data("ok".utf8))
        #expect(proxy.requests.map(\.target) == ["http://origin.invalid/path?q=%2F"])
        #expect(proxy.requests.first?.header("Host") == "origin.invalid")
    }

    @Test("An unreachable proxy is an error that names the requested URL") func deadProxy() async throws {
        let dead = try ClosedPort()
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: dead.port)
        let session = Wire.session(options: options)
        let error = await Wire.error { try await session.data(from: server.url) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url)
        #expect(server.requestCount == 0)
        withExtendedLifetime(dead) {}
    }
}
