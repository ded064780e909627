import Ferry
import TestSupport
import Testing

extension NginxTests {
    @Suite("Closed connections", .serialized, .takesTurns)
    struct ConnectionTests {
        @Test("A suspended response continues exactly after the server has closed its connection")
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
            // The callback suspends the task, so that it has received little, however busy the machine is.
            let wasSuspended = Watched(false)
            let suspendOnce: @Sendable (URLSessionTask) -> Void = { task in
                let isFirst = wasSuspended.change { wasSuspended in
                    defer { wasSuspended = true }
                    return !wasSuspended
                }
                if isFirst { task.suspend() }
            }
            var hooks = DelegateHooks()
            hooks.onData = { task, _ in suspendOnce(task) }
            hooks.onWrote = { task, _ in suspendOnce(task) }
            let delegate = RecordingDelegate(hooks)
            let session = CurlSession.trusting(server, delegate: delegate)
            defer { session.invalidateAndCancel() }
            let target = "\(folder)/large.bin?\(isDownload)"
            let url = server.url(.plain, target)
            let task = isDownload ? session.downloadTask(with: url) : session.dataTask(with: url)
            task.resume()
            try await eventually { task.state == .suspended }
            // The server's log line shows that it no longer waits for a client that does not read. It sends slowly, so
            // that the exchange is not over before the client stops reading.
            try await server.waitForLog("GET /\(target) HTTP/1.1\" 200")
            #expect(delegate[task].received < NginxFiles.largeSize)
            task.resume()
            let record = try await delegate.completion(of: task, timeout: 60)
            #expect(record.completions == 1)
            #expect(record.error == nil)
            #expect(record.received == NginxFiles.largeSize)
            #expect(try Contents.match(isDownload ? record.file : record.data, server.files.large))
            try await server.waitForLog("GET /\(target) HTTP/1.1\" 206")
        }

        @Test(
            "A request on a connection that the server closes is sent again",
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

        @Test("Requests succeed after the server was restarted")
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
