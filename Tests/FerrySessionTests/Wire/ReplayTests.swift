import FerrySession
import FerryTesting
import Testing

/// A kept connection that is dead when the next request is sent on it (RFC 9112, section 9.3.1).
///
/// Only idempotent methods may be repeated (RFC 9110, section 9.2.2).
@Suite(.timeLimit(.minutes(5)))
struct ReplayTests {
    /// A server that closes a connection at its second request, after reading the body (`afterBody`) or before.
    private func server(afterBody: Bool) throws -> LoopbackServer {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { request in
            afterBody || request.connectionRequestIndex == 0 ? .whole : .early(.empty, afterBytes: 0)
        }
        return try LoopbackServer(configuration: configuration) { request in
            request.connectionRequestIndex > 0 ? .empty : .text("got \(request.bodyLength)")
        }
    }

    /// Returns a session with a kept connection, whose delegate provides streams of 300,000 bytes.
    private func streamingSession(_ server: LoopbackServer) async throws -> (CurlSession, RecordingDelegate) {
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in answer(InputStream(data: LoopbackServer.pattern(count: 300_000))) }
        let recorder = RecordingDelegate(hooks)
        let session = Wire.session(recorder)
        _ = try await session.data(from: server.url)
        return (session, recorder)
    }

    private func expectWhole(
        _ server: LoopbackServer,
        _ outcome: TaskRecord,
        _ task: URLSessionTask,
        _ size: Int
    ) throws {
        #expect(outcome.error == nil)
        #expect(outcome.text == "got \(size)")
        let last = try #require(server.requests.last)
        #expect(last.bodySHA256 == LoopbackServer.patternSHA256(count: size))
        #expect(last.connectionRequestIndex == 0)
        #expect(outcome.sentTotals.last == Int64(size))
        #expect(task.countOfBytesSent == Int64(size))
        #expect(outcome.sentTotals.allSatisfy { $0 <= Int64(size) })
        #expect(outcome.completions == 1)
    }

    @Test(
        "Gap 10: data on a dead connection is sent again completely",
        arguments: [true, false],
        [1, 70_000, 3_000_000]
    )
    func data(_ afterBody: Bool, _ size: Int) async throws {
        let server = try server(afterBody: afterBody)
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        _ = try await session.data(from: server.url)
        let task = session.uploadTask(with: Wire.request(server.url, "PUT"), from: LoopbackServer.pattern(count: size))
        try expectWhole(server, try await recorder.run(task), task, size)
        #expect(server.connectionCount == 2)
    }

    @Test("Gap 10: a file on a dead connection is sent again completely", arguments: [true, false])
    func file(_ afterBody: Bool) async throws {
        let server = try server(afterBody: afterBody)
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let file = folder.appendingPathComponent("body")
        try LoopbackServer.pattern(count: 2_000_000).write(to: file)
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        _ = try await session.data(from: server.url)
        let task = session.uploadTask(with: Wire.request(server.url, "PUT"), fromFile: file)
        try expectWhole(server, try await recorder.run(task), task, 2_000_000)
    }

    @Test("Gap 10: a stream on a dead connection is requested again", arguments: [true, false])
    func stream(_ afterBody: Bool) async throws {
        let server = try server(afterBody: afterBody)
        let (session, recorder) = try await streamingSession(server)
        let task = session.uploadTask(withStreamedRequest: Wire.request(server.url, "PUT"))
        let outcome = try await recorder.run(task)
        try expectWhole(server, outcome, task, 300_000)
        // A stream of which nothing was read before the connection ended is used for the next attempt.
        let streams = outcome.events.filter { $0 == .needsBodyStream }.count
        #expect(streams == 2 || streams == 1 && !afterBody)
    }

    @Test("A stream of a method that is not idempotent is not sent a second time") func streamedPost() async throws {
        let server = try server(afterBody: true)
        let (session, recorder) = try await streamingSession(server)
        let outcome = try await recorder.run(
            session.uploadTask(withStreamedRequest: Wire.request(server.url, "POST"))
        )
        #expect(outcome.error?.code == .networkConnectionLost)
        #expect(outcome.underlying?.code == .notRepeated)
        #expect(outcome.events.filter { $0 == .needsBodyStream }.count == 1)
        #expect(server.requestCount == 2)
    }

    @Test("A stream that cannot be provided again is a typed error, never an empty body", arguments: [false, true])
    func noSecondStream(_ isUpload: Bool) async throws {
        let server = try server(afterBody: true)
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        _ = try await session.data(from: server.url)
        var request = Wire.request(server.url, "PUT")
        request.httpBodyStream = InputStream(data: LoopbackServer.pattern(count: 300_000))
        let task = isUpload ? session.uploadTask(withStreamedRequest: request) : session.dataTask(with: request)
        let outcome = try await recorder.run(task)
        #expect(outcome.error?.code == .requestBodyStreamExhausted)
        #expect(outcome.underlying?.code == .bodyNotReplayable)
        #expect(outcome.completions == 1)
        #expect(server.requestCount == 2)
    }

    @Test("A request without a body is sent again", arguments: ["GET", "HEAD", "DELETE", "PUT"])
    func bodiless(_ method: String) async throws {
        let server = try server(afterBody: true)
        let session = Wire.session()
        for _ in 0..<3 {
            let (_, response) = try await session.data(for: Wire.request(server.url, method))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
    }

    @Test("A new connection that closes without a response is not tried again") func fresh() async throws {
        let server = try LoopbackServer { _ in .empty }
        let error = await Wire.error { try await Wire.session().data(for: Wire.request(server.url, "POST")) }
        #expect(error?.code == .networkConnectionLost)
        #expect(server.requestCount == 1)
    }

    @Test("Connections that the server closed while idle fail no request", arguments: 1...5) func idle(
        _ round: Int
    ) async throws {
        let server = try LoopbackServer { .text("got \($0.bodyLength)") }
        let session = Wire.session()
        for index in 0..<10 {
            let body = LoopbackServer.pattern(count: index * 10_000)
            let (data, _) = try await session.upload(for: Wire.request(server.url, "POST"), from: body)
            #expect(data == Data("got \(body.count)".utf8))
            server.closeIdleConnections()
        }
        #expect(server.requestCount == 10)
    }
}
