import Ferry
import ProxySupport
import TestSupport
import Testing

extension NginxTests {
    private static let hasHTTP3 = NginxServer.hasHTTP3 && (try? CurlRuntime.current())?.supportsHTTP3 == true

    /// Debian 12 has HTTP/3 neither in libcurl nor in nginx, Debian 13 in both.
    @Suite(
        "HTTP/3",
        .enabled(if: hasHTTP3, "libcurl or nginx is built without HTTP/3"),
        .timeLimit(.minutes(3))
    )
    struct HTTP3Tests {
        let server: NginxServer

        init() throws {
            server = try .shared()
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
            let session = server.session(versions)
            for _ in 0..<3 {
                let (bytes, _) = try await session.bytes(from: server.url(listener, "small"))
                var body = Data()
                for try await chunk in bytes.chunks { body.append(chunk) }
                #expect(String(decoding: body, as: UTF8.self) == "hello\n")
                try await eventually("the metrics") { bytes.task.transferMetrics != nil }
                #expect(bytes.task.transferMetrics?.transactions.last?.networkProtocolName == name)
            }
        }

        @Test("A server without HTTP/3 cannot be connected to if nothing else is allowed")
        func excluded() async throws {
            let error = await #expect(throws: URLError.self) {
                try await server.session(.http3Only).fetch(server.url(.tls, "small"))
            }
            #expect(error?.code == .cannotConnectToHost)
            let plain = await #expect(throws: URLError.self) {
                try await server.session(.http3Only).fetch(server.url(.plain, "small"))
            }
            #expect(reason(plain) == .httpVersionUnsupported)
        }

        @Test("Two hundred concurrent requests share few connections")
        func shared() async throws {
            let session = server.session(.http3Only)
            // nginx numbers the streams of QUIC as if they were connections.
            let opened = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        let (bytes, _) = try await session.bytes(from: server.url(.http3, "small?\(index)"))
                        for try await _ in bytes.chunks {}
                        try await eventually("the metrics") { bytes.task.transferMetrics != nil }
                        let transactions = bytes.task.transferMetrics?.transactions ?? []
                        return transactions.filter { !$0.isReusedConnection }.count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect((1...3).contains(opened))
        }

        @Test("A download of 100 MB and an upload arrive whole")
        func bodies() async throws {
            let session = server.session(.http3Only)
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
            let task = server.session(.http3Only).downloadTask(with: server.url(.http3, "files/large.bin"))
            task.resume()
            try await eventually("bytes") { task.countOfBytesReceived > 0 }
            task.suspend()
            try await Task.sleep(nanoseconds: 300_000_000)
            let count = task.countOfBytesReceived
            try await Task.sleep(nanoseconds: 300_000_000)
            #expect(task.countOfBytesReceived == count && task.state == .suspended)
            task.resume()
            try await eventually("the end") { task.state == .completed }
            #expect(task.error == nil && task.countOfBytesReceived == Int64(NginxFiles.largeSize))
        }

        @Test("The server's certificate is verified, pinned and shown to the evaluator")
        func trust() async throws {
            let path = "small?trust-\(UUID().uuidString)"
            let url = server.url(.http3, path)
            let unknown = await #expect(throws: URLError.self) {
                try await server.session(.http3Only) { $0.certificateAuthorityFile = nil }.fetch(url)
            }
            // libcurl does not always know more than that QUIC was ended.
            #expect(unknown != nil && reason(unknown) != nil)
            let pins = [PublicKeyPin("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
            let pinned = await #expect(throws: URLError.self) {
                try await server.session(.http3Only) { $0.tls.publicKeyPins = ["*": pins] }.fetch(url)
            }
            #expect(pinned != nil && reason(pinned) != nil)
            #expect(try server.logged([path]) == [])
            let seen = Watched<[Int]>([])
            let evaluated = server.session(.http3Only) {
                $0.tls.trustEvaluator = { trust in
                    seen.append(trust.certificates.count)
                    return .accept
                }
            }
            #expect(try await evaluated.fetch(url).1.statusCode == 200)
            #expect(seen.current.allSatisfy { $0 > 0 } && !seen.current.isEmpty)
            let refused = await #expect(throws: URLError.self) {
                try await server.session(.http3Only) { $0.tls.trustEvaluator = { _ in .refuse(reason: "no") } }.fetch(
                    url
                )
            }
            #expect(reason(refused) == .trustRefused)
        }

        @Test("A proxy excludes HTTP/3") func proxy() async throws {
            let proxy = try TestProxy()
            let url = server.url(.http3, "small")
            let falling = server.session(.http3) { $0.proxy = .http("127.0.0.1", port: proxy.port) }
            #expect(try await falling.fetch(url).1["X-Protocol"] == "HTTP/2.0")
            let error = await #expect(throws: URLError.self) {
                try await server.session(.http3Only) { $0.proxy = .http("127.0.0.1", port: proxy.port) }.fetch(url)
            }
            #expect(reason(error) == .httpVersionUnsupported)
            #expect(proxy.exchanges.count == 1)
        }
    }
}
