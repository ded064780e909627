import Ferry
import ProxySupport
import TestSupport
import Testing

extension NginxTests {
    /// The requests that reach nginx with each of a session's options for the versions of HTTP.
    @Suite("Versions of HTTP", .serialized, .takesTurns, .timeLimit(.minutes(3)))
    struct HTTPVersionTests {
        let server: NginxServer

        init() throws {
            server = try .shared()
        }

        private func protocolName(_ task: URLSessionTask?) -> String? {
            task?.metrics?.transactions.last?.networkProtocolName
        }

        private func fetch(
            _ session: CurlSession,
            _ url: URL
        ) async throws -> (response: HTTPURLResponse, name: String?) {
            let (bytes, response) = try await session.bytes(from: url)
            for try await _ in bytes.chunks {}
            try await eventually("the metrics") { bytes.task.metrics != nil }
            return (try #require(response as? HTTPURLResponse), protocolName(bytes.task))
        }

        private func reason(_ error: URLError?) -> CurlSessionError.Code? {
            (error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code
        }

        @Test(
            "A server with and without HTTP/2 gets what the option says, and the metrics name it",
            arguments: [
                (HTTPVersions.automatic, NginxListener.http2, "h2"), (.automatic, .tls, "http/1.1"),
                (.automatic, .plain, "http/1.1"), (.http1, .http2, "http/1.1"), (.http1, .plain, "http/1.1"),
                (.http2, .http2, "h2"), (.http2PriorKnowledge, .http2, "h2"),
                (.http2PriorKnowledge, .cleartextHTTP2, "h2"),
            ]
        )
        func versions(_ versions: HTTPVersions, _ listener: NginxListener, _ name: String) async throws {
            let session = server.session(versions)
            for _ in 0..<3 {
                let found = try await fetch(session, server.url(listener, "small"))
                #expect(found.name == name)
                #expect(found.response["X-Protocol"] == (name == "h2" ? "HTTP/2.0" : "HTTP/1.1"))
            }
        }

        @Test("A server that chooses HTTP/1.1 receives no request that requires HTTP/2", arguments: ["GET", "POST"])
        func required(_ method: String) async throws {
            for versions in [HTTPVersions.http2, .http2PriorKnowledge] {
                let path = "small?required-\(UUID().uuidString)"
                var request = URLRequest(url: server.url(.tls, path))
                request.httpMethod = method
                let session = server.session(versions) { $0.retryPolicy = .standard }
                let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
                #expect(error?.code == .secureConnectionFailed)
                #expect(reason(error) == .httpVersionRefused)
                #expect(error?.localizedDescription.contains("HTTP/2") == true)
                #expect(try server.logged([path]) == [])
            }
        }

        @Test("A connection of prior knowledge is shared from the first request on", arguments: [1, 2, 60, 200])
        func shared(_ count: Int) async throws {
            let session = server.session(.http2PriorKnowledge)
            for _ in 0..<3 {
                let used = try await withThrowingTaskGroup(of: String?.self) { group in
                    for index in 0..<count {
                        group.addTask {
                            let url = server.url(.cleartextHTTP2, "small?\(index)")
                            return try await session.fetch(url).1["X-Connection"]
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(used.count == 1)
            }
        }

        @Test("Six connections for HTTP/1.1 do not limit the requests of prior knowledge")
        func slots() async throws {
            let session = server.session(.http2PriorKnowledge) { $0.maximumConnectionsPerHost = 1 }
            let tasks = (0..<40).map { _ in session.dataTask(with: server.url(.cleartextHTTP2, "slow/huge.bin")) }
            for task in tasks { task.resume() }
            // Each response takes minutes, so all arrive only if they are sent at the same time.
            try await eventually("all responses") { tasks.allSatisfy { $0.response != nil } }
            #expect(Set(tasks.map { ($0.response as? HTTPURLResponse)?["X-Connection"] }).count == 1)
            session.invalidateAndCancel()
        }

        @Test("Requests survive a server that ends each connection after twenty of them")
        func goAway() async throws {
            let session = server.session(.http2PriorKnowledge)
            let used = try await withThrowingTaskGroup(of: String?.self) { group in
                for index in 0..<300 {
                    group.addTask {
                        let url = server.url(.shortLivedCleartext, "small?\(index)")
                        return try await session.fetch(url).1["X-Connection"]
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(used.count >= 15)
        }

        @Test(
            "An announcement of HTTP/3 changes nothing with a libcurl that lacks it",
            arguments: [NginxListener.tls, .http2]
        )
        func announcement(_ listener: NginxListener) async throws {
            guard try !CurlRuntime.current().supportsHTTP3 else { return }
            let session = server.session(.http3IfAnnounced)
            var used: Set<String?> = []
            for path in ["small", "announced", "small", "announced", "small"] {
                used.insert(try await session.fetch(server.url(listener, path)).1["X-Connection"])
            }
            #expect(used.count == 1)
        }

        @Test("A body is uploaded, also after a redirect that keeps the method")
        func upload() async throws {
            let session = server.session(.http2PriorKnowledge)
            let data = try Contents.of(server.files.text)
            // nginx reads the body before it redirects.
            for (path, name) in [("uploads/direct", "direct"), ("reading/again", "again")] {
                let file = server.uploaded(name)
                defer { try? FileManager.default.removeItem(at: file) }
                var request = URLRequest(url: server.url(.cleartextHTTP2, path))
                request.httpMethod = "PUT"
                let response = try #require(try await session.upload(for: request, from: data).1 as? HTTPURLResponse)
                #expect(response.statusCode == 201)
                #expect(response["X-Protocol"] == "HTTP/2.0")
                #expect(Contents.match(try Contents.of(file), data))
            }
        }

        @Test("A POST that is redirected with 303 becomes a GET on the same connection")
        func redirect() async throws {
            let session = server.session(.http2PriorKnowledge)
            let connection = try await session.fetch(server.url(.cleartextHTTP2, "small")).1["X-Connection"]
            var request = URLRequest(url: server.url(.cleartextHTTP2, "reading/other"))
            request.httpMethod = "POST"
            request.httpBody = Data("a=b".utf8)
            let (data, response) = try await session.fetch(request)
            #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            #expect(response["X-Request-Line"] == "GET /small HTTP/2.0")
            #expect(response["X-Connection"] == connection)
        }

        @Test("A redirect to TLS or from it finds HTTP/2 on both sides, and fails without it")
        func redirectToTLS() async throws {
            let session = server.session(.http2PriorKnowledge) { $0.allowsInsecureRedirects = true }
            let (data, response) = try await session.fetch(server.url(.cleartextHTTP2, "hop/tls"))
            #expect(String(decoding: data, as: UTF8.self) == "arrived\n")
            #expect(response["X-Protocol"] == "HTTP/2.0")
            // The target is a server of HTTP/1.1 without TLS.
            let error = await #expect(throws: URLError.self) {
                try await session.fetch(server.url(.http2, "hop/down"))
            }
            #expect(reason(error) == .httpVersionRefused)
            #expect(try await session.fetch(server.url(.cleartextHTTP2, "small")).1["X-Protocol"] == "HTTP/2.0")
        }

        @Test("A download of 100 MB arrives whole, while others share its connection")
        func download() async throws {
            let session = server.session(.http2PriorKnowledge)
            async let small = withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await session.fetch(server.url(.cleartextHTTP2, "files/text.txt")).0.count }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            let (file, response) = try await session.download(from: server.url(.cleartextHTTP2, "files/large.bin"))
            defer { try? FileManager.default.removeItem(at: file) }
            #expect((response as? HTTPURLResponse)?["X-Protocol"] == "HTTP/2.0")
            #expect(Contents.match(try Contents.of(file), try Contents.of(server.files.large)))
            #expect(try await small == [try Contents.of(server.files.text).count])
        }

        @Test(
            "Downloads with a bandwidth limit keep HTTP/2 where HTTP/1.1 is excluded, and arrive whole",
            arguments: [0, 1]
        )
        func limitedDownloads(cancelled: Int) async throws {
            let session = server.session(.http2PriorKnowledge)
            let limit = BandwidthLimit(bytesPerSecond: 4_000_000)
            let tasks = (0..<2).map { _ in
                let task = session.downloadTask(with: server.url(.cleartextHTTP2, "files/large.bin"))
                task.downloadLimit = limit
                task.resume()
                return task
            }
            try await eventually("bytes") { tasks.allSatisfy { $0.countOfBytesReceived > 250_000 } }
            #expect(tasks.allSatisfy { $0.state == .running })
            // Other requests are answered meanwhile. They make libcurl read their connection, until the waiting streams
            // have so many bytes in memory that one is abandoned.
            limit.bytesPerSecond = 100_000
            for _ in 0..<20 { _ = try await session.fetch(server.url(.cleartextHTTP2, "small")) }
            // The abandoned stream now waits for more than a second, and its rest is requested without other activity.
            limit.bytesPerSecond = 10_000
            tasks[cancelled].cancel()
            try await eventually("the cancellation") { tasks[cancelled].state == .completed }
            limit.bytesPerSecond = nil
            let task = tasks[1 - cancelled]
            try await eventually("the end") { task.state == .completed }
            #expect(task.error == nil && task.countOfBytesReceived == Int64(NginxFiles.largeSize))
            #expect(protocolName(task) == "h2")
        }

        @Test("A server that has ended its connections is connected to again")
        func restart() async throws {
            let own = try NginxServer()
            let session = CurlSession.trusting(own) { $0.httpVersions = .http2PriorKnowledge }
            let url = own.url(.cleartextHTTP2, "small")
            for _ in 0..<3 {
                #expect(try await session.fetch(url).1["X-Protocol"] == "HTTP/2.0")
                try own.stop()
                let error = await #expect(throws: URLError.self) { try await session.fetch(url) }
                #expect(error?.code == .cannotConnectToHost)
                try own.start()
            }
        }

        @Test("A circuit breaker counts no failure where a request has to open another connection")
        func circuit() async throws {
            let own = try NginxServer()
            var rule = CircuitBreaker.Rule()
            (rule.failureShare, rule.minimumRequests) = (0.01, 1)
            let breaker = CircuitBreaker(rule)
            let session = CurlSession.trusting(own) {
                $0.httpVersions = .http2PriorKnowledge
                $0.circuitBreaker = breaker
            }
            let url = own.url(.cleartextHTTP2, "small")
            for _ in 0..<3 {
                #expect(try await session.fetch(url).1.statusCode == 200)
                #expect(breaker.state(of: url) == .closed)
                try own.stop()
                try own.start()
            }
        }

        @Test("A proxy opens a tunnel for prior knowledge") func tunnel() async throws {
            let proxy = try TestProxy()
            let session = server.session(.http2PriorKnowledge) { $0.proxy = .http("127.0.0.1", port: proxy.port) }
            let url = server.url(.cleartextHTTP2, "small")
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<10 { group.addTask { try await session.fetch(url).1["X-Protocol"] } }
                for try await version in group { #expect(version == "HTTP/2.0") }
            }
            #expect(proxy.exchanges.map(\.target) == ["localhost:\(url.port ?? 0)"])
        }

        @Test("A Unix-domain socket carries prior knowledge") func unixSocket() async throws {
            let folder = try TemporaryFolder()
            let path = folder.url.appendingPathComponent("socket").path
            let port = try #require(server.url(.cleartextHTTP2, "").port)
            let relay = try UnixRelay(path: path, to: port)
            defer { withExtendedLifetime(relay) {} }
            let session = server.session(.http2PriorKnowledge) { $0.network.unixSocket = .path(path) }
            let url = try #require(URL(string: "http://docker/small"))
            for _ in 0..<5 {
                let (data, response) = try await session.fetch(url)
                #expect(String(decoding: data, as: UTF8.self) == "hello\n")
                #expect(response["X-Protocol"] == "HTTP/2.0")
            }
        }

        @Test("Without prior knowledge, a server gets HTTP/1.1, which nginx 1.22 does not understand here")
        func withoutPriorKnowledge() async throws {
            do {
                let (_, response) = try await server.session(.automatic).fetch(server.url(.cleartextHTTP2, "small"))
                #expect(response["X-Protocol"] == "HTTP/1.1")
            } catch let error as URLError {
                #expect(error.code == .cannotParseResponse)
            }
        }
    }
}

extension NginxServer {
    /// Returns a session that trusts the server and speaks some versions of HTTP.
    func session(
        _ versions: HTTPVersions,
        _ change: (inout CurlSession.Options) -> Void = { _ in }
    ) -> CurlSession {
        .trusting(self) {
            $0.httpVersions = versions
            change(&$0)
        }
    }
}
