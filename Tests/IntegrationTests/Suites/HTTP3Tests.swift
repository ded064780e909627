import Ferry
import ProxySupport
import TestSupport
import Testing

extension NginxTests {
    private static let hasHTTP3 = (try? CurlRuntime.current())?.supportsHTTP3 == true && NginxServer.servesHTTP3

    /// Debian 12 has HTTP/3 neither in libcurl nor in nginx; CI runs these tests on Debian 13.
    @Suite(
        "HTTP/3",
        .enabled(if: hasHTTP3, "libcurl is built without HTTP/3, or neither nginx nor Python has it"),
        .timeLimit(.minutes(3)),
        // A connection that takes long because of other tests falls back to HTTP/2.
        .serialized,
        .takesTurns
    )
    struct HTTP3Tests {
        let server: NginxServer

        init() throws {
            server = try .shared()
            try server.startHTTP3()
        }

        /// Returns a session that trusts the server.
        ///
        /// - Parameters:
        ///   - versions: The option that is tested.
        ///   - isShared: Whether connections are shared also by a libcurl that may lose requests then.
        ///   - change: Sets other options.
        /// - Returns: The session.
        private func session(
            _ versions: HTTPVersions,
            isShared: Bool = false,
            _ change: (inout CurlSession.Options) -> Void = { _ in }
        ) -> CurlSession {
            server.session(versions) { options in
                options.sharesHTTP3 = isShared
                change(&options)
            }
        }

        private static let sharesHTTP3 = (try? CurlRuntime.current())?.httpVersionSupport.sharesHTTP3 ?? true

        @Test(
            "Each request has a connection of its own where libcurl may lose those that share one",
            .enabled(if: !sharesHTTP3, "libcurl can share connections of HTTP/3"),
            arguments: [HTTPVersions.http3, .http3Only]
        )
        func alone(_ versions: HTTPVersions) async throws {
            let session = self.session(versions)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        let request = URLRequest(url: server.url(.http3, "small?\(index)"), timeoutInterval: 20)
                        let (bytes, response) = try await session.bytes(for: request)
                        #expect((response as? HTTPURLResponse)?["X-Protocol"] == "HTTP/3.0")
                        for try await _ in bytes.chunks {}
                        try await eventually("the metrics") { bytes.task.metrics != nil }
                        #expect(bytes.task.metrics?.transactions.map(\.isReusedConnection) == [false])
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test(
            "Announcements change nothing where libcurl may lose requests that share a connection",
            .enabled(if: !sharesHTTP3, "libcurl can share connections of HTTP/3")
        )
        func ignoredAnnouncement() async throws {
            let session = self.session(.http3IfAnnounced)
            var reused: [Bool?] = []
            for _ in 0..<3 {
                let (bytes, response) = try await session.bytes(from: server.url(.http3, "announced"))
                #expect((response as? HTTPURLResponse)?["X-Protocol"] == "HTTP/2.0")
                for try await _ in bytes.chunks {}
                try await eventually("the metrics") { bytes.task.metrics != nil }
                reused.append(bytes.task.metrics?.transactions.last?.isReusedConnection)
            }
            #expect(reused == [false, true, true])
        }

        private func reason(_ error: URLError?) -> CurlSessionError.Code? {
            (error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code
        }

        @Test(
            "Requests use HTTP/3 where the server has it, and otherwise another version unless that is excluded",
            arguments: [
                (HTTPVersions.http3, NginxListener.http3, "h3"), (.http3Only, .http3, "h3"),
                (.automatic, .http3, "h2"), (.http3, .http2, "h2"), (.http3, .tls, "http/1.1"),
                (.http3, .plain, "http/1.1"),
            ]
        )
        func versions(_ versions: HTTPVersions, _ listener: NginxListener, _ name: String) async throws {
            let session = self.session(versions)
            for _ in 0..<3 {
                let (bytes, _) = try await session.bytes(from: server.url(listener, "small"))
                var body = Data()
                for try await chunk in bytes.chunks { body.append(chunk) }
                #expect(String(decoding: body, as: UTF8.self) == "hello\n")
                try await eventually("the metrics") { bytes.task.metrics != nil }
                #expect(bytes.task.metrics?.transactions.last?.networkProtocolName == name)
            }
        }

        @Test("A server without HTTP/3 cannot be connected to if nothing else is allowed")
        func excluded() async throws {
            let error = await #expect(throws: URLError.self) {
                try await session(.http3Only).fetch(server.url(.tls, "small"))
            }
            #expect(error?.code == .cannotConnectToHost)
            let plain = await #expect(throws: URLError.self) {
                try await session(.http3Only).fetch(server.url(.plain, "small"))
            }
            #expect(reason(plain) == .httpVersionUnsupported)
        }

        @Test("Many concurrent requests share few connections")
        func shared() async throws {
            let session = self.session(.http3Only, isShared: true)
            // nginx numbers the streams of QUIC as if they were connections.
            let opened = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        let (bytes, _) = try await session.bytes(from: server.url(.http3, "small?\(index)"))
                        for try await _ in bytes.chunks {}
                        try await eventually("the metrics") { bytes.task.metrics != nil }
                        let transactions = bytes.task.metrics?.transactions ?? []
                        return transactions.filter { !$0.isReusedConnection }.count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect((1...3).contains(opened))
        }

        @Test("A download of 100 MB and an upload arrive whole")
        func bodies() async throws {
            let session = self.session(.http3Only)
            let (file, response) = try await session.download(from: server.url(.http3, "files/large.bin"))
            defer { try? FileManager.default.removeItem(at: file) }
            #expect((response as? HTTPURLResponse)?["X-Protocol"] == "HTTP/3.0")
            #expect(Contents.match(try Contents.of(file), try Contents.of(server.files.large)))
            let data = try Contents.of(server.files.text)
            let target = server.uploaded("http3")
            defer { try? FileManager.default.removeItem(at: target) }
            var request = URLRequest(url: server.url(.http3, "uploads/http3"))
            request.httpMethod = "PUT"
            let upload = try await session.upload(for: request, from: data).1 as? HTTPURLResponse
            #expect(upload?.statusCode == 201)
            #expect(Contents.match(try Contents.of(target), data))
        }

        @Test("A suspended download waits, and then arrives whole")
        func suspension() async throws {
            let session = session(.http3Only)
            let task = session.downloadTask(with: server.url(.http3, "files/large.bin"))
            task.resume()
            try await eventually("bytes") { task.countOfBytesReceived > 0 }
            task.suspend()
            // Other requests end only after the task has been suspended.
            for _ in 0..<2 { _ = try await session.fetch(server.url(.http3, "small")) }
            let count = task.countOfBytesReceived
            try await Task.sleep(nanoseconds: 300_000_000)
            for _ in 0..<2 { _ = try await session.fetch(server.url(.http3, "small")) }
            #expect(task.countOfBytesReceived == count && task.state == .suspended)
            task.resume()
            try await eventually("the end") { task.state == .completed }
            #expect(task.error == nil && task.countOfBytesReceived == Int64(NginxFiles.largeSize))
        }

        @Test("HTTP/3 is used after the server has announced it, and not for requests that need HTTP/1.1")
        func announcement() async throws {
            let session = session(.http3IfAnnounced, isShared: true)
            for _ in 0..<2 {
                #expect(try await session.fetch(server.url(.http3, "small")).1["X-Protocol"] == "HTTP/2.0")
            }
            let response = try await session.fetch(server.url(.http3, "announced")).1
            #expect(response["X-Protocol"] == "HTTP/2.0")
            #expect(response["Alt-Svc"]?.hasPrefix("h3=\":") == true)
            for _ in 0..<3 {
                #expect(try await session.fetch(server.url(.http3, "small")).1["X-Protocol"] == "HTTP/3.0")
            }
            let task = session.downloadTask(with: server.url(.http3, "small"))
            task.downloadLimit = BandwidthLimit(bytesPerSecond: 1_000_000)
            task.resume()
            try await eventually("the end") { task.state == .completed }
            #expect((task.response as? HTTPURLResponse)?["X-Protocol"] == "HTTP/1.1")
            // The announcement belongs to the origin, and not to the host.
            #expect(try await session.fetch(server.url(.http2, "small")).1["X-Protocol"] == "HTTP/2.0")
        }

        @Test("A server whose announcement is wrong is reached without HTTP/3, and other options ignore announcements")
        func wrongAnnouncement() async throws {
            let wrong = session(.http3IfAnnounced, isShared: true)
            for _ in 0..<4 {
                let response = try await wrong.fetch(server.url(.http2, "announced")).1
                #expect(response["X-Protocol"] == "HTTP/2.0")
            }
            let other = session(.automatic)
            for _ in 0..<3 {
                let response = try await other.fetch(server.url(.http3, "announced")).1
                #expect(response["X-Protocol"] == "HTTP/2.0")
            }
        }

        @Test(
            "A request to a server that no longer speaks HTTP/3 is sent again without it",
            .enabled(if: HTTP3Gateway.isInstalled, "Python's aioquic is not installed")
        )
        func stopped() async throws {
            let gateway = try server.makeGateway(.tls13Only)
            let session = session(.http3IfAnnounced, isShared: true) { $0.retryPolicy = .standard }
            #expect(try await session.fetch(server.url(.tls13Only, "announced")).1["X-Protocol"] == "HTTP/1.1")
            #expect(try await session.fetch(server.url(.tls13Only, "small")).1["X-Protocol"] == "HTTP/3.0")
            gateway.stop()
            for _ in 0..<3 {
                #expect(try await session.fetch(server.url(.tls13Only, "small")).1["X-Protocol"] == "HTTP/1.1")
            }
        }

        @Test(
            "A server that does not respond over HTTP/3 in time is reached without it afterwards",
            .enabled(if: HTTP3Gateway.isInstalled, "Python's aioquic is not installed")
        )
        func unanswered() async throws {
            let gateway = try server.makeGateway(.tls13Only)
            defer { gateway.stop() }
            let session = session(.http3IfAnnounced, isShared: true)
            #expect(try await session.fetch(server.url(.tls13Only, "announced")).1["X-Protocol"] == "HTTP/1.1")
            #expect(try await session.fetch(server.url(.tls13Only, "small")).1["X-Protocol"] == "HTTP/3.0")
            let request = URLRequest(url: server.url(.tls13Only, "unanswered"), timeoutInterval: 1)
            let error = await #expect(throws: URLError.self) { try await session.fetch(request) }
            #expect(error?.code == .timedOut)
            for _ in 0..<3 {
                #expect(try await session.fetch(server.url(.tls13Only, "small")).1["X-Protocol"] == "HTTP/1.1")
            }
        }

        @Test("A server with another key than the pinned one is refused")
        func pins() async throws {
            let path = "small?pins-\(UUID().uuidString)"
            let pins = [PublicKeyPin("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
            let error = await #expect(throws: URLError.self) {
                try await session(.http3Only) { $0.tls.publicKeyPins = ["*": pins] }.fetch(server.url(.http3, path))
            }
            #expect(error != nil && reason(error) != nil)
            #expect(try server.logged([path]) == [])
        }

        private static let usesOpenSSL = TLSBackend.isOpenSSL((try? CurlRuntime.current())?.tlsBackend ?? "")

        @Test(
            "The server's certificate is verified, and shown to the evaluator",
            .enabled(if: usesOpenSSL, "libcurl does not use OpenSSL")
        )
        func trust() async throws {
            let path = "small?trust-\(UUID().uuidString)"
            let url = server.url(.http3, path)
            let unknown = await #expect(throws: URLError.self) {
                try await session(.http3Only) { $0.tls.certificateAuthorities = .system }.fetch(url)
            }
            // libcurl does not always report more than the end of QUIC.
            #expect(unknown != nil && reason(unknown) != nil)
            #expect(try server.logged([path]) == [])
            let seen = Watched<[Int]>([])
            let evaluated = session(.http3Only) {
                $0.tls.trustEvaluator = { trust in
                    seen.append(trust.certificates.count)
                    return .accept
                }
            }
            #expect(try await evaluated.fetch(url).1.statusCode == 200)
            #expect(seen.current.allSatisfy { $0 > 0 } && !seen.current.isEmpty)
            let refused = await #expect(throws: URLError.self) {
                try await session(.http3Only) { $0.tls.trustEvaluator = { _ in .refuse(reason: "no") } }.fetch(
                    url
                )
            }
            #expect(reason(refused) == .trustRefused)
        }

        @Test("A proxy excludes HTTP/3") func proxy() async throws {
            let proxy = try TestProxy()
            let url = server.url(.http3, "small")
            let falling = session(.http3) { $0.proxy = .http("127.0.0.1", port: proxy.port) }
            #expect(try await falling.fetch(url).1["X-Protocol"] == "HTTP/2.0")
            let error = await #expect(throws: URLError.self) {
                try await session(.http3Only) { $0.proxy = .http("127.0.0.1", port: proxy.port) }.fetch(url)
            }
            #expect(reason(error) == .httpVersionUnsupported)
            #expect(proxy.exchanges.count == 1)
            let announced = session(.http3IfAnnounced, isShared: true) {
                $0.proxy = .http("127.0.0.1", port: proxy.port)
            }
            for path in ["announced", "small", "small"] {
                #expect(try await announced.fetch(server.url(.http3, path)).1["X-Protocol"] == "HTTP/2.0")
            }
            #expect(proxy.exchanges.count == 2, "The tunnel is used again")
        }
    }
}
