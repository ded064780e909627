import FerrySession
import FerryTesting
import ProxySupport
import TestSupport
import Testing

/// Sessions that reach the server through a real proxy.
@Suite("Proxies", .timeLimit(.minutes(5)), .ownThreads)
struct ProxyTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            .text("\(request.method) \(request.target) \(request.headers["Proxy-Authorization"] ?? "-")")
        }
    }

    private func session(_ proxy: CurlSession.Proxy, _ delegate: (any URLSessionDelegate)? = nil) -> CurlSession {
        var options = CurlSession.Options()
        options.proxy = proxy
        return Wire.session(delegate, options: options)
    }

    private func http(_ proxy: TestProxy, except: [String] = []) -> CurlSession.Proxy {
        .http("127.0.0.1", port: proxy.port, except: except)
    }

    /// A host that only the proxy can resolve.
    private var hidden: URL { server.url("/x?q=1", host: "origin.invalid") }

    private func text(_ session: CurlSession, _ url: URL) async throws -> String {
        String(decoding: try await session.data(from: url).0, as: UTF8.self)
    }

    // MARK: - Routes

    @Test("An HTTP proxy forwards requests") func forwards() async throws {
        let proxy = try TestProxy()
        #expect(try await text(session(http(proxy)), hidden) == "GET /x?q=1 -")
        #expect(proxy.exchanges.map(\.target) == [hidden.absoluteString])
    }

    @Test(
        "An exception applies to all spellings of its host",
        arguments: [
            ("127.0.0.1", "127.1"), ("127.1", "0x7f.0.0.1"), ("2130706433", "127.0.0.1"),
            ("127.0.0.0/8", "%31%32%37.0.0.1"), ("localhost", "localhost."), ("LocalHost.", "LOCALHOST"),
        ]
    )
    func exceptions(_ exception: String, _ host: String) async throws {
        let proxy = try TestProxy()
        let session = session(http(proxy, except: [exception]))
        let url = try #require(URL(string: "http://\(host):\(server.port)/direct"))
        #expect(try await text(session, url) == "GET /direct -")
        #expect(proxy.exchanges.isEmpty)
    }

    @Test("The configuration's dictionary is used, with its exceptions") func dictionary() async throws {
        let proxy = try TestProxy()
        let session = Wire.session {
            $0.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": proxy.port, "ExceptionsList": ["127.0.0.0/8"],
            ]
        }
        #expect(try await text(session, hidden) == "GET /x?q=1 -")
        #expect(try await text(session, server.url("/direct")) == "GET /direct -")
        #expect(proxy.exchanges.map(\.target) == [hidden.absoluteString])
    }

    @Test("A dictionary's SOCKS proxy resolves names itself") func socksDictionary() async throws {
        let proxy = try TestProxy()
        let session = Wire.session {
            $0.connectionProxyDictionary = ["SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": proxy.port]
        }
        #expect(try await text(session, hidden) == "GET /x?q=1 -")
        #expect(proxy.exchanges.map(\.target) == ["origin.invalid:\(server.port)"])
    }

    @Test("SOCKS 5 supports addresses, names and a user") func socks() async throws {
        let proxy = try TestProxy(.basic(user: "ada", password: "secret"))
        let byName = session(.socks5h("127.0.0.1", port: proxy.port, user: "ada", password: "secret"))
        #expect(try await text(byName, hidden) == "GET /x?q=1 -")
        let byAddress = session(.socks5("127.0.0.1", port: proxy.port, user: "ada", password: "secret"))
        #expect(try await text(byAddress, server.url("/y", host: "localhost")) == "GET /y -")
        #expect(proxy.exchanges.map(\.isName) == [true, false])
        #expect(proxy.exchanges.map(\.credentials) == ["ada:secret", "ada:secret"])
    }

    @Test("A redirect to an excepted host bypasses the proxy") func redirection() async throws {
        let target = server.url("/end").absoluteString
        let first = try LoopbackServer { _ in .redirect(to: target) }
        let proxy = try TestProxy()
        let session = session(http(proxy, except: ["127.0.0.1"]))
        #expect(try await text(session, first.url("/", host: "origin.invalid")) == "GET /end -")
        #expect(proxy.exchanges.count == 1)
    }

    #if compiler(>=6.2)
    @Test("Without a proxy there is none, and the environment's exceptions do not apply to an option")
    func environment() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .text("direct") }
            let proxy = try TestProxy()
            setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            setenv("no_proxy", "*", 1)
            var options = CurlSession.Options()
            options.proxy = .http("127.0.0.1", port: proxy.port)
            _ = try await Wire.session(options: options).data(from: server.url)
            #expect(proxy.exchanges.count == 1)
            setenv("no_proxy", "", 1)
            _ = try await Wire.session().data(from: server.url)
            #expect(proxy.exchanges.count == 2)
            options.proxy = .none
            _ = try await Wire.session(options: options).data(from: server.url)
            _ = try await Wire.session { $0.connectionProxyDictionary = [:] }.data(from: server.url)
            #expect(proxy.exchanges.count == 2)
        }
    }
    #endif

    // MARK: - Authentication

    @Test("The option's credential is sent when requested, and preemptively from then on", arguments: [false, true])
    func ownCredential(_ isDigest: Bool) async throws {
        let proxy = try TestProxy(
            isDigest ? .digest(user: "ada", password: "secret") : .basic(user: "ada", password: "secret")
        )
        let session = session(.http("127.0.0.1", port: proxy.port, user: "ada", password: "secret"))
        #expect(try await text(session, hidden) == "GET /x?q=1 -")
        #expect(proxy.exchanges.first?.credentials == nil)
        let scheme = isDigest ? "Digest " : "Basic "
        #expect(proxy.exchanges.last?.credentials?.hasPrefix(scheme) == true)
        // The credential is sent only to the proxy, whatever the origin.
        let other = try LoopbackServer { .text($0.headers["Proxy-Authorization"] ?? "none") }
        let before = proxy.exchanges.count
        #expect(try await text(session, other.url("/", host: "other.invalid")) == "none")
        if !isDigest { #expect(proxy.exchanges.count == before + 1) }
    }

    @Test("The credential for a proxy is not sent to the proxy of another scheme after a redirect")
    func otherProxy() async throws {
        let first = try TestProxy(.basic(user: "ada", password: "secret"))
        let second = try TestProxy()
        let server = try LoopbackServer { _ in .redirect(to: "https://origin.invalid:1/") }
        let session = Wire.session {
            $0.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": first.port, "HTTPUser": "ada",
                "HTTPPassword": "secret", "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": second.port,
            ]
        }
        #expect(await Wire.error { try await session.data(from: server.url("/", host: "origin.invalid")) } != nil)
        #expect(first.exchanges.last?.credentials?.hasPrefix("Basic ") == true)
        #expect(second.exchanges.map(\.target) == ["origin.invalid:1"])
        #expect(second.exchanges.allSatisfy { $0.credentials == nil })
    }

    @Test("The delegate is asked for the proxy's credential, also after a wrong one", arguments: [false, true])
    func challenge(_ isDigest: Bool) async throws {
        let proxy = try TestProxy(
            isDigest ? .digest(user: "ada", password: "secret") : .basic(user: "ada", password: "secret")
        )
        let answerer = Answerer(user: "ada", passwords: ["wrong", "secret"])
        #expect(try await text(session(http(proxy), answerer), hidden) == "GET /x?q=1 -")
        #expect(answerer.challenges.map(\.failures) == [0, 1])
        let space = try #require(answerer.challenges.first?.space)
        #expect(space.isProxy())
        #expect(space.host == "127.0.0.1")
        #expect(space.port == proxy.port)
        let method = isDigest ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic
        #expect(space.authenticationMethod == method)
    }

    @Test("The proxy's own user is also sent for Basic where Negotiate has failed", arguments: ["http", "https"])
    func withoutTicket(_ scheme: String) async throws {
        let proxy = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let isIn = head.contains("\r\nProxy-Authorization: Basic YWRhOnNlY3JldA==\r\n")
                let challenges = "Proxy-Authenticate: Negotiate\r\nProxy-Authenticate: Basic realm=\"r\"\r\n"
                // A tunnel is refused in a way that shows that the credential was accepted.
                let start = isIn ? "HTTP/1.1 410 Gone\r\n" : "HTTP/1.1 407 No\r\n\(challenges)"
                connection.write("\(start)Content-Length: 2\r\n\r\nin")
            }
        }
        let answerer = Answerer(user: "ada", passwords: [])
        let session = session(.http("127.0.0.1", port: proxy.port, user: "ada", password: "secret"), answerer)
        let url = try #require(URL(string: "\(scheme)://origin.invalid/"))
        if scheme == "http" {
            #expect(try await text(session, url) == "in")
        } else {
            let error = await Wire.error { try await session.data(from: url) }
            #expect(error?.localizedDescription.contains("responded with 410") == true)
        }
        #expect(answerer.challenges.isEmpty)
    }

    @Test("A 407 without a credential is delivered with its body") func unanswered() async throws {
        let proxy = try TestProxy(.basic(user: "ada", password: "secret"))
        let (data, response) = try await session(http(proxy)).data(from: hidden)
        #expect((response as? HTTPURLResponse)?.statusCode == 407)
        #expect(data == Data("the407".utf8))
    }

    @Test("A body is sent again completely with the proxy's credential") func upload() async throws {
        let server = try LoopbackServer { .text($0.bodySHA256) }
        let proxy = try TestProxy(.basic(user: "ada", password: "secret"))
        let body = LoopbackServer.pattern(count: 300_000)
        let request = Wire.request(server.url("/", host: "origin.invalid"), "POST")
        let session = session(.http("127.0.0.1", port: proxy.port, user: "ada", password: "secret"))
        let (data, _) = try await session.upload(for: request, from: body)
        #expect(String(decoding: data, as: UTF8.self) == SHA256Hash.hash(body).hexadecimal)
    }

    @Test("A server's 407 without a proxy is a response, and the delegate is not asked")
    func strangers407() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 407, headers: ["Proxy-Authenticate": "Basic realm=\"x\""])
        }
        let answerer = Answerer(user: "ada", passwords: ["secret"])
        let (_, response) = try await session(.none, answerer).data(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 407)
        #expect(answerer.challenges.isEmpty)
    }

    @Test("A Proxy-Authorization set by the caller is sent only to the proxy") func ownHeader() async throws {
        let proxy = try TestProxy()
        let request = Wire.request(hidden, headers: ["Proxy-Authorization": "Basic mine"])
        #expect(String(decoding: try await session(http(proxy)).data(for: request).0, as: UTF8.self) == "GET /x?q=1 -")
        #expect(proxy.exchanges.map(\.credentials) == ["Basic mine"])
        let direct = Wire.request(server.url("/z"), headers: ["Proxy-Authorization": "Basic mine"])
        #expect(String(decoding: try await session(.none).data(for: direct).0, as: UTF8.self) == "GET /z -")
    }

    // MARK: - Errors

    @Test("Errors name the proxy", arguments: ["http", "https", "socks5"])
    func dead(_ kind: String) async throws {
        let closed = try ClosedPort()
        let proxy: CurlSession.Proxy =
            kind == "socks5" ? .socks5("127.0.0.1", port: closed.port) : .http("127.0.0.1", port: closed.port)
        let url = try #require(URL(string: "\(kind == "https" ? "https" : "http")://127.0.0.1:1/x"))
        let error = await Wire.error { try await session(proxy).data(from: url) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.ferryCode == .proxyUnreachable)
        #expect(error?.localizedDescription.contains("The proxy \(proxy) could not be reached") == true)
        #expect(error?.failingURL == url)
        withExtendedLifetime(closed) {}
    }

    @Test("A proxy whose host is not found is named") func unknownProxy() async throws {
        let error = await Wire.error {
            try await session(.http("proxy.invalid", port: 3128)).data(from: server.url)
        }
        #expect(error?.code == .cannotFindHost)
        #expect(error?.ferryCode == .proxyUnreachable)
        #expect(error?.localizedDescription.contains("http://proxy.invalid:3128") == true)
    }

    @Test("A refused tunnel is an error with the proxy's status, without a response")
    func refusedTunnel() async throws {
        let proxy = try TestProxy(.none, .refuses(status: 403))
        let recorder = RecordingDelegate()
        let url = try #require(URL(string: "https://origin.invalid/"))
        let task = session(http(proxy), recorder).dataTask(with: url)
        let outcome = try await recorder.run(task)
        #expect(outcome.names == ["completed"])
        #expect(outcome.response == nil)
        #expect(outcome.error?.code == .cannotConnectToHost)
        #expect(outcome.underlying?.code == .proxyRefused)
        #expect(outcome.underlying?.message.contains("responded with 403") == true)
        #expect(proxy.exchanges.map(\.target) == ["origin.invalid:443"])
    }

    @Test("A tunnel that requires a credential asks the delegate, and fails without one")
    func tunnelChallenge() async throws {
        let proxy = try TestProxy(.basic(user: "ada", password: "secret"))
        let url = try #require(URL(string: "https://origin.invalid/"))
        let answerer = Answerer(user: "ada", passwords: ["wrong"])
        let error = await Wire.error { try await session(http(proxy), answerer).data(from: url) }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error?.ferryCode == .proxyAuthenticationRequired)
        #expect(answerer.challenges.map(\.failures) == [0, 1])
        #expect(answerer.challenges.first?.space.proxyType == NSURLProtectionSpaceHTTPSProxy)
        #expect(proxy.exchanges.map { $0.credentials != nil } == [false, true])
    }

    @Test(
        "A proxy that sends garbage or hangs up is named in the error",
        arguments: ["garbles", "closes"],
        ["https", "socks5"]
    )
    func rude(_ manners: String, _ kind: String) async throws {
        let proxy = try TestProxy(.none, manners == "garbles" ? .garbles : .closes)
        let way: CurlSession.Proxy = kind == "socks5" ? .socks5h("127.0.0.1", port: proxy.port) : http(proxy)
        let url = try #require(URL(string: "https://origin.invalid/"))
        let error = await Wire.error { try await session(way).data(from: url) }
        #expect(error?.code == .cannotConnectToHost, "\(String(describing: error))")
        #expect(error?.ferryCode == .proxyRefused)
        #expect(error?.localizedDescription.contains("\(way)") == true)
    }

    @Test("SOCKS refusals are errors that name the proxy") func refusedSOCKS() async throws {
        let closed = try TestProxy(.none, .refuses(status: 0))
        let guarded = try TestProxy(.basic(user: "ada", password: "secret"))
        for way: CurlSession.Proxy in [
            .socks5h("127.0.0.1", port: closed.port), .socks5h("127.0.0.1", port: guarded.port),
            .socks5h("127.0.0.1", port: guarded.port, user: "ada", password: "wrong"),
        ] {
            let error = await Wire.error { try await session(way).data(from: hidden) }
            #expect(error?.code == .cannotConnectToHost)
            #expect(error?.ferryCode == .proxyRefused)
            #expect(error?.localizedDescription.contains("\(way)") == true)
            #expect(error?.localizedDescription.contains("wrong") == false)
        }
    }

    @Test("TLS options that cannot be used fail a request through an https proxy, also one without TLS of its own")
    func invalidTLSOptions() async throws {
        let proxy = try LoopbackServer()
        var options = CurlSession.Options()
        options.proxy = .https("127.0.0.1", port: proxy.port)
        options.tls.certificateAuthorities = .only([.pemFile(URL(fileURLWithPath: "/nonexistent.pem"))])
        let error = await Wire.error { try await Wire.session(options: options).data(from: server.url) }
        #expect(error?.ferryCode == .invalidTLSOptions, "\(String(describing: error))")
        #expect(proxy.connectionCount == 0 && server.requestCount == 0)
    }

    @Test("A proxy that takes long to open a tunnel is waited for while other transfers keep the engine busy")
    func slowTunnel() async throws {
        let proxy = try SilentListener()
        let session = session(.http("127.0.0.1", port: try #require(proxy.url.port), except: ["127.0.0.1"]))
        let url = try #require(URL(string: "https://origin.invalid/"))
        let isOver = Watched(false)
        async let tunnelled = Wire.error {
            defer { isOver.change { $0 = true } }
            return try await session.data(for: Wire.request(url, timeout: 4))
        }
        // Commands of a task that bypasses the proxy wake the engine's thread, and each turn is a step of the tunnel.
        let other = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let task = session.dataTask(with: other.url)
        task.resume()
        let waker = Thread {
            while !isOver.current {
                task.suspend()
                task.resume()
                usleep(1)
            }
        }
        waker.start()
        #expect(await tunnelled?.code == .timedOut)
        task.cancel()
    }

    @Test("A proxy that stalls times out with the request", arguments: ["http", "https", "socks5"])
    func stalls(_ kind: String) async throws {
        let proxy = try TestProxy(.none, .stalls)
        let way: CurlSession.Proxy = kind == "socks5" ? .socks5h("127.0.0.1", port: proxy.port) : http(proxy)
        let url = try #require(URL(string: "\(kind == "https" ? "https" : "http")://origin.invalid/"))
        let error = await Wire.error { try await session(way).data(for: Wire.request(url, timeout: 0.5)) }
        #expect(error?.code == .timedOut)
    }

    @Test("An invalid proxy fails every task with the reason") func invalid() async throws {
        for proxy: CurlSession.Proxy in [.http("", port: 1), .http("a b", port: 1), .socks5("a", port: 0)] {
            let error = await Wire.error { try await session(proxy).data(from: server.url) }
            #expect(error?.code == .cannotConnectToHost)
            #expect(error?.ferryCode == .invalidProxy)
        }
        #expect(server.requestCount == 0)
    }
}
