import Ferry
import FerrySession
import FerryTesting
import ProxySupport
import TestSupport
import Testing

extension NginxTests {
    @Suite("DNS over HTTPS")
    struct DNSOverHTTPSTests {
        let nginx: NginxServer
        let resolver: ResolverPeer
        let origin: LoopbackServer

        init() throws {
            nginx = try .shared()
            resolver = try ResolverPeer()
            origin = try LoopbackServer { _ in .text("hello").adding("Set-Cookie", "id=1; Path=/") }
        }

        private func session(
            _ listener: NginxListener = .http2,
            host: String = "127.0.0.1",
            _ change: (inout CurlSession.Options) -> Void = { _ in }
        ) -> CurlSession {
            .trusting(nginx) {
                $0.dnsOverHTTPS = resolver.url(nginx, listener, host: host)
                $0.proxy = .none
                change(&$0)
            }
        }

        private func url(_ host: String) -> URL { origin.url("/", host: host) }

        private func failure(_ session: CurlSession, _ request: URLRequest) async -> (URLError, CurlSessionError?)? {
            let error = await #expect(throws: URLError.self) { try await session.fetch(request) }
            return error.map { ($0, $0.userInfo[NSUnderlyingErrorKey] as? CurlSessionError) }
        }

        private func failure(_ session: CurlSession, _ host: String) async -> (URLError, CurlSessionError?)? {
            await failure(session, URLRequest(url: url(host)))
        }

        // MARK: - Names

        @Test(
            "The resolver is asked for a name once, over either version of HTTP",
            arguments: [NginxListener.tls, .http2]
        )
        func lookup(listener: NginxListener) async throws {
            let session = session(listener)
            for _ in 0..<3 { #expect(try await session.fetch(url("a.example.test")).0 == Data("hello".utf8)) }
            let questions = resolver.questions
            #expect(questions.count == resolver.server.requestCount)
            #expect(Set(questions.map(\.name)) == ["a.example.test"])
            #expect(questions.filter(\.isForIPv4).count == 1)
            #expect(Set(questions.map(\.type)).isSubset(of: [1, 28]))
            #expect(questions.count <= 2)
            #expect(
                origin.requests.map { $0.headers["Host"] }
                    == Array(repeating: "a.example.test:\(origin.port)", count: 3)
            )
        }

        @Test("Its requests have nothing of the request: no cookie, credential, field or name of the program")
        func fields() async throws {
            let session = session()
            var request = URLRequest(url: url("a.example.test"))
            request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            request.setValue("secret", forHTTPHeaderField: "X-Secret")
            request.setValue("id=secret", forHTTPHeaderField: "Cookie")
            request.httpMethod = "PUT"
            request.httpBody = Data("secret".utf8)
            _ = try await session.fetch(request)
            // libcurl sends a query for another host, with the cookies of the first host.
            _ = try await session.fetch(url("b.example.test"))
            #expect(resolver.server.requestCount >= 2)
            // nginx adds the number of the connection.
            let usual: Set = ["host", "connection", "accept", "content-type", "content-length", "x-connection"]
            for request in resolver.server.requests {
                #expect(request.method == "POST")
                #expect(request.headers["Content-Type"] == "application/dns-message")
                #expect(Set(request.headers.fields.map { $0.name.lowercased() }).isSubset(of: usual))
                #expect(request.path == "/dns-query")
            }
        }

        @Test("Addresses, localhost and hosts of the options are not looked up")
        func known() async throws {
            let session = session { $0.network.addresses = ["b.example.test": ["127.0.0.1"]] }
            for host in ["127.0.0.1", "localhost", "b.localhost", "b.example.test"] {
                #expect(try await session.fetch(url(host)).0 == Data("hello".utf8))
            }
            #expect(resolver.server.requestCount == 0)
        }

        @Test("The resolver's own name is looked up by the system, or is in the options' addresses")
        func name() async throws {
            #expect(try await session(host: "localhost").fetch(url("a.example.test")).0 == Data("hello".utf8))
            // The certificate is for localhost, so that only the name has to be found.
            let named = session(host: "resolver.example.test") {
                $0.network.addresses = ["resolver.example.test": ["127.0.0.1"]]
                $0.tls.dangerouslyDisablesVerification = true
            }
            #expect(try await named.fetch(url("a.example.test")).0 == Data("hello".utf8))
            #expect(!resolver.questions.contains { $0.name == "resolver.example.test" })
        }

        @Test("A host behind a proxy is not looked up, but the proxy's name is, and the resolver is reached without it")
        func proxy() async throws {
            let proxy = try TestProxy()
            let session = session { $0.proxy = .http("proxy.example.test", port: proxy.port) }
            // The test's proxy connects only to addresses that the system knows.
            #expect(try await session.fetch(url("localhost")).0 == Data("hello".utf8))
            #expect(Set(resolver.questions.map(\.name)) == ["proxy.example.test"])
            #expect(proxy.exchanges.map(\.target) == [url("localhost").absoluteString])
        }

        @Test("The resolver is reached through the proxy of the environment, whatever the options say")
        func environment() async throws {
            let proxy = try TestProxy()
            let (authority, resolverURL) = (nginx.certificates.authority, resolver.url(nginx))
            let url = url("a.example.test")
            await #expect(processExitsWith: .success) {
                [
                    port = proxy.port as Int, url = url as URL, authority = authority as URL,
                    resolverURL = resolverURL as URL
                ] in
                setenv("https_proxy", "http://127.0.0.1:\(port)", 1)
                let session = CurlSession.trusting(authority) {
                    $0.dnsOverHTTPS = resolverURL
                    $0.proxy = .none
                }
                let body = try await session.data(from: url).0
                #expect(body == Data("hello".utf8))
            }
            let port = try #require(resolverURL.port)
            #expect(Set(proxy.exchanges.map(\.target)) == ["127.0.0.1:\(port)"])
            #expect(Set(resolver.questions.map(\.name)) == ["a.example.test"])
        }

        @Test("Nothing that waits for the host asks the system for its name")
        func reachability() {
            #expect(!session().dataTask(with: url("a.example.test")).looksUpHost)
        }

        // MARK: - Failures

        @Test(
            "A response without an address is an error that names the resolver, and the system is not asked",
            arguments: ["unknown", "garbage", "truncated", "huge", "failing", "empty", "looping"]
        )
        func response(kind: String) async throws {
            let session = session()
            for host in ["\(kind).example.test", "\(kind).localdomain"] {
                let (error, cause) = try #require(await failure(session, host))
                #expect(error.code == .cannotFindHost)
                #expect(cause?.code == .resolverFailed)
                #expect(cause?.message.contains("127.0.0.1") == true)
                #expect(cause?.message.contains(host) == true)
            }
            #expect(origin.requestCount == 0)
            #expect(try await session.fetch(url("a.example.test")).0 == Data("hello".utf8))
        }

        @Test("A name that the system knows is not found without the resolver")
        func noFallback() async throws {
            let name = ProcessInfo.processInfo.hostName
            let port = try ClosedPort()
            let session = CurlSession.trusting(nginx) {
                $0.dnsOverHTTPS = URL(string: "https://127.0.0.1:\(port.port)/")
            }
            guard !name.isEmpty, name != "localhost" else { return }
            let (error, cause) = try #require(await failure(session, name))
            #expect(error.code == .cannotFindHost)
            #expect(cause?.code == .resolverFailed)
        }

        @Test("A resolver that is silent ends in the request's time limit and delays no other request")
        func silence() async throws {
            let session = session()
            var request = URLRequest(url: url("silent.example.test"))
            request.timeoutInterval = 60
            let tasks = (0..<20).map { _ in session.dataTask(with: request) }
            for task in tasks { task.resume() }
            try await eventually { resolver.silence.arrived > 0 }
            let start = ContinuousClock.now
            #expect(try await session.fetch(url("127.0.0.1")).0 == Data("hello".utf8))
            request.timeoutInterval = 0.5
            #expect(try #require(await failure(session, request)).0.code == .timedOut)
            for task in tasks { task.cancel() }
            #expect(try await session.fetch(url("localhost")).0 == Data("hello".utf8))
            // The abandoned requests are over: the session ends without waiting for the resolver.
            session.invalidateAndCancel()
            #expect(ContinuousClock.now - start < .seconds(20))
        }

        @Test("A session ends although the resolver is silent, and libcurl's requests end with it")
        func end() async throws {
            let delegate = RecordingDelegate()
            let resolver = resolver
            let session = CurlSession.trusting(nginx, delegate: delegate) {
                $0.dnsOverHTTPS = resolver.url(nginx)
            }
            let task = session.dataTask(with: url("silent.example.test"))
            task.resume()
            try await eventually { resolver.silence.arrived > 0 }
            session.invalidateAndCancel()
            #expect(try await delegate.completion(of: task).error?.code == .cancelled)
            try await eventually("invalidity") { delegate.invalidations == 1 }
        }

        @Test(
            "A URL that cannot be a resolver's fails every task and shows no password",
            arguments: [
                "http://127.0.0.1/dns-query", "https://user:secret@dns.example/", "file:///dns", "https:///dns",
            ]
        )
        func invalid(text: String) async throws {
            let invalid = try #require(URL(string: text))
            let session = session { $0.dnsOverHTTPS = invalid }
            for host in ["127.0.0.1", "a.example.test"] {
                let (error, cause) = try #require(await failure(session, host))
                #expect(error.code == .cannotConnectToHost)
                #expect(cause?.code == .invalidNetworkOptions)
                #expect(cause?.message.contains("secret") == false)
            }
            #expect(origin.requestCount == 0)
        }
    }
}
