import Ferry
import ProxySupport
import Testing

extension NginxTests {
    /// TLS through a proxy's tunnel, to nginx.
    @Suite("Tunnels")
    struct TunnelTests {
        let server: NginxServer

        init() throws {
            server = try .shared()
        }

        private func session(
            _ proxy: TestProxy,
            _ delegate: (any URLSessionDelegate)? = nil,
            user: String? = nil,
            password: String? = nil
        ) -> CurlSession {
            CurlSession.trusting(server, delegate: delegate) {
                $0.proxy = .http("127.0.0.1", port: proxy.port, user: user, password: password)
            }
        }

        @Test("https uses a tunnel, whose response is not part of the server's response")
        func tunnel() async throws {
            let proxy = try TestProxy()
            let url = server.url(.tls, "small")
            let (data, response) = try await session(proxy).fetch(url)
            #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            #expect(response.statusCode == 200)
            #expect(response["X-From"] == nil)
            #expect(response["X-Protocol"] == "HTTP/1.1")
            #expect(proxy.exchanges.map(\.target) == ["localhost:\(url.port ?? 0)"])
        }

        @Test(
            "A request for a tunnel names the program, and has no other field of the request in it",
            arguments: [nil, "mine/1.0"]
        )
        func userAgent(_ given: String?) async throws {
            let proxy = try TestProxy()
            var request = URLRequest(url: server.url(.tls, "small"))
            request.setValue(given, forHTTPHeaderField: "User-Agent")
            request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            #expect(try await session(proxy).fetch(request).1.statusCode == 200)
            let lines = (proxy.exchanges.first?.head ?? "").components(separatedBy: "\r\n").filter { !$0.isEmpty }
            let agents = lines.filter { $0.hasPrefix("User-Agent: ") }
            #expect(agents.count == 1)
            #expect(given.map { agents == ["User-Agent: \($0)"] } ?? true)
            let names = Set(lines.dropFirst().map { String($0.prefix { $0 != ":" }) })
            #expect(names == ["Host", "User-Agent", "Proxy-Connection"])
        }

        @Test("HTTP/2 shares one tunnel") func multiplexed() async throws {
            let proxy = try TestProxy()
            let session = session(proxy)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { try await session.fetch(server.url(.http2, "small")).1.statusCode } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(proxy.exchanges.count == 1)
        }

        @Test(
            "The tunnel's credential comes from a challenge or the option, and the server never receives it",
            arguments: [true, false]
        )
        func credentials(isDigest: Bool) async throws {
            let proxy = try TestProxy(
                isDigest ? .digest(user: "ada", password: "secret") : .basic(user: "ada", password: "secret")
            )
            let url = server.url(.tls, "small")
            let own = session(proxy, user: "ada", password: "secret")
            #expect(try await own.fetch(url).1.statusCode == 200)
            #expect(proxy.exchanges.last?.credentials?.hasPrefix(isDigest ? "Digest" : "Basic") == true)
            // The body is sent once, through the tunnel.
            var post = URLRequest(url: url)
            (post.httpMethod, post.httpBody) = ("POST", Data("body".utf8))
            for session in [own, session(proxy, user: "ada", password: "secret")] {
                #expect(try await session.fetch(post).1.statusCode == 200)
            }

            let answerer = ProxyAnswerer(["wrong", "secret"])
            #expect(try await session(proxy, answerer).fetch(url).1.statusCode == 200)
            #expect(answerer.failures == [0, 1])
        }

        @Test("A long page about a missing credential does not keep a tunnel from being opened", arguments: [10, 60])
        func longPage(kilobytes: Int) async throws {
            let page = String(repeating: "x", count: kilobytes * 1_000)
            // libcurl reads the page to its end before it sends a response to the challenge on the same connection.
            let proxy = try TestProxy(.digest(user: "ada", password: "secret"), page: page)
            let own = session(proxy, user: "ada", password: "secret")
            #expect(try await own.fetch(server.url(.tls, "small")).1.statusCode == 200)
            #expect(proxy.exchanges.last?.credentials?.hasPrefix("Digest") == true)
        }

        @Test("An invalid certificate of the server in a tunnel is reported as the server's, not the proxy's")
        func certificate() async throws {
            let proxy = try TestProxy()
            let error = await #expect(throws: URLError.self) {
                try await session(proxy).fetch(server.url(.expired, "small"))
            }
            #expect(error?.code == .serverCertificateHasBadDate)
        }

        @Test("A proxy over TLS is verified with the session's authorities") func overTLS() async throws {
            let plain = try #require(URL(string: "http://ferry.invalid/small"))
            let port = server.url(.tls, "").port ?? 0
            let session = CurlSession.trusting(server) { $0.proxy = .https("localhost", port: port) }
            let (data, response) = try await session.fetch(plain)
            #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            #expect(response["X-Request-Line"] == "GET http://ferry.invalid/small HTTP/1.1")
            let expired = server.url(.expired, "").port ?? 0
            let other = CurlSession.trusting(server) { $0.proxy = .https("localhost", port: expired) }
            let error = await #expect(throws: URLError.self) { try await other.fetch(plain) }
            #expect(error?.localizedDescription.contains("https://localhost:\(expired)") == true)
            #expect([.serverCertificateUntrusted, .serverCertificateHasBadDate].contains(error?.code))
        }
    }
}

/// Responds to challenges with one password after another.
private final class ProxyAnswerer: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    // `@unchecked Sendable`: written on the delegate queue, and read only after the task has ended.
    private var passwords: [String]
    private(set) var failures: [Int] = []

    init(_ passwords: [String]) {
        self.passwords = passwords
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        failures.append(challenge.previousFailureCount)
        guard !passwords.isEmpty else { return completionHandler(.performDefaultHandling, nil) }
        let password = passwords.removeFirst()
        completionHandler(.useCredential, URLCredential(user: "ada", password: password, persistence: .none))
    }
}
