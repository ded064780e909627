import Ferry
import Testing

extension NginxTests {
    @Suite("Connections that end")
    struct ConnectionTests {
        @Test("A suspended response whose connection the server gave up goes on exactly")
        func suspendedTooLong() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for folder in ["stalling", "resetting"] {
                    group.addTask { try await suspendTooLong(folder, isDownload: false) }
                    group.addTask { try await suspendTooLong(folder, isDownload: true) }
                }
                try await group.waitForAll()
            }
        }

        private func suspendTooLong(_ folder: String, isDownload: Bool) async throws {
            let server = try NginxServer.shared()
            let delegate = TransferRecorder()
            let session = CurlSession.trusting(server, delegate: delegate)
            defer { session.invalidateAndCancel() }
            let target = "\(folder)/large.bin?\(isDownload)"
            let url = server.url(.plain, target)
            let task = isDownload ? session.downloadTask(with: url) : session.dataTask(with: url)
            task.resume()
            try await delegate.wait { $0.received > 0 }
            task.suspend()
            // Twice the time after which the server stops to wait for a client that does not read.
            try await Task.sleep(nanoseconds: 2_200_000_000)
            #expect(delegate.record.received < NginxFiles.largeSize)
            task.resume()
            try await delegate.wait { $0.completions == 1 }
            let record = delegate.record
            #expect(record.error == nil)
            #expect(record.received == NginxFiles.largeSize)
            #expect(try Contents.match(isDownload ? record.file : record.data, server.files.large))
            // Without a second request the server did not give up, and nothing was tried.
            // The log's line comes when the server is done, which may be after the client is.
            let line = "GET /\(target) HTTP/1.1\" 206"
            for _ in 0..<200 where try !server.accessLog().contains(line) {
                try await Task.sleep(nanoseconds: 25_000_000)
            }
            #expect(try server.accessLog().contains(line))
        }

        @Test(
            "A request over a connection that the server closes is sent again",
            arguments: [NginxListener.plain, .tls]
        )
        func closedInstead(listener: NginxListener) async throws {
            let server = try NginxServer.shared()
            let session = CurlSession.trusting(server)
            for _ in 0..<3 {
                let (data, _) = try await session.fetch(server.url(listener, "first-only"))
                #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            }
        }

        @Test("Requests go on after the server was restarted")
        func restart() async throws {
            let server = try NginxServer()
            let session = CurlSession.trusting(server)
            for round in 0..<3 {
                for listener in [NginxListener.plain, .tls, .http2] {
                    let (data, _) = try await session.fetch(server.url(listener, "small"))
                    #expect(String(decoding: data, as: UTF8.self) == "hello\n", "\(listener) in round \(round)")
                }
                try server.stop()
                let url = server.url(.http2, "small")
                if round == 1 {
                    let error = await #expect(throws: URLError.self) { try await session.fetch(url) }
                    #expect(error?.code == .cannotConnectToHost)
                }
                try server.start()
            }
        }
    }
}
