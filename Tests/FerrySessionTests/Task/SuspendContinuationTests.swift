import FerrySession
import FerryTesting
import Testing

/// Suspended tasks whose connection the server closes.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SuspendContinuationTests {
    private static let size = 400_000
    private static let first = 100_000

    /// The first request gets a part before the connection ends, later ones the response of `later`.
    private func server(
        _ gate: Gate,
        etag: String?,
        first: Int = Self.first,
        later: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse
    ) throws -> LoopbackServer {
        let isFirst = Watched(true)
        return try LoopbackServer { request in
            let isFirst = isFirst.change { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isFirst else { return later(request) }
            return .gated(gate, first: first, of: Self.size, etag: etag.map { "\"\($0)\"" }, closes: true)
        }
    }

    /// Starts a task, suspends it in the middle, lets the server close the connection, and resumes the task.
    private func interrupt(
        _ task: URLSessionTask,
        of session: CurlSession,
        _ gate: Gate,
        _ server: LoopbackServer
    ) async throws {
        task.resume()
        try await eventually("a part") { task.countOfBytesReceived == Self.first }
        try await interruptRunning(task, of: session, gate, server)
    }

    private func interruptRunning(
        _ task: URLSessionTask,
        of session: CurlSession,
        _ gate: Gate,
        _ server: LoopbackServer
    ) async throws {
        task.suspend()
        // The engine has suspended the task before the server closes.
        try await session.overtake()
        gate.open()
        try await eventually("the end of the connection") { server.openConnectionCount == 0 }
        // The engine has seen the end of the connection.
        try await session.overtake()
        #expect(task.state == .suspended)
        task.resume()
    }

    @Test("The same entity continues where it stopped", arguments: ["data", "download"])
    func sameEntity(_ kind: String) async throws {
        let gate = Gate()
        let server = try server(gate, etag: "v1") { request in
            .resource(.pattern(count: Self.size), etag: "v1", for: request)
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = kind == "data" ? session.dataTask(with: server.url) : session.downloadTask(with: server.url)
        try await interrupt(task, of: session, gate, server)
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil)
        #expect((kind == "data" ? record.data : record.file) == LoopbackServer.pattern(count: Self.size))
        #expect(record.names.filter { $0 == "response" }.count == (kind == "data" ? 1 : 0))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(task.countOfBytesReceived == Self.size)
        let second = try #require(server.requests.last)
        #expect(server.requestCount == 2)
        #expect(second.header("Range") == "bytes=\(Self.first)-")
        #expect(second.header("If-Range") == "\"v1\"")
        #expect(delegate.violations == [])
    }

    @Test("Handlers receive the complete body, however often it stopped", arguments: ["data", "download"])
    func handlers(_ kind: String) async throws {
        let gate = Gate()
        let server = try server(gate, etag: "v1") { request in
            .resource(.pattern(count: Self.size), etag: "v1", for: request)
        }
        let outcome = Watched<[Outcome<Data>]>([])
        let session = makeSession()
        let task: URLSessionTask =
            kind == "data"
            ? session.dataTask(with: server.url) { outcome.append(Outcome($0, $1, $2)) }
            : session.downloadTask(with: server.url) { url, response, error in
                outcome.append(Outcome(url.flatMap { try? Data(contentsOf: $0) }, response, error))
            }
        try await interrupt(task, of: session, gate, server)
        #expect(try await outcome.first().value == LoopbackServer.pattern(count: Self.size))
        #expect(task.progress.fractionCompleted == 1)
    }

    @Test("A data task whose entity has changed fails with a clear error") func changedData() async throws {
        let gate = Gate()
        let server = try server(gate, etag: "v1") { request in
            .resource(.pattern(count: 1000), etag: "v2", for: request)
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        try await interrupt(task, of: session, gate, server)
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .networkConnectionLost)
        #expect(record.error?.ferryCode == .cannotContinue)
        #expect(record.data == LoopbackServer.pattern(count: Self.first))
        #expect(record.names.filter { $0 == "response" }.count == 1)
        #expect(delegate.violations == [])
    }

    @Test(
        "After the head alone, only the body of the same entity follows",
        arguments: ["delegate", "stream"],
        ["v1", "v2"]
    )
    func afterHead(_ kind: String, _ later: String) async throws {
        let gate = Gate()
        // The server ignores the range.
        let server = try server(gate, etag: "v1", first: 0) { _ in
            let body = LoopbackServer.pattern(count: Self.size, offset: later == "v1" ? 0 : 7)
            var response = LoopbackResponse(body: .data(body))
            response.headers.add("ETag", "\"\(later)\"")
            return response
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        var (data, error) = (Data(), URLError?.none)
        if kind == "delegate" {
            let task = session.dataTask(with: server.url)
            task.resume()
            try await eventually("the head") { delegate[task].names.contains("response") }
            try await interruptRunning(task, of: session, gate, server)
            let record = try await delegate.completion(of: task)
            (data, error) = (record.data, record.error)
            #expect(record.names.filter { $0 == "response" }.count == 1)
        } else {
            let (bytes, response) = try await session.bytes(from: server.url)
            #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") == "\"v1\"")
            try await interruptRunning(bytes.task, of: session, gate, server)
            do {
                for try await chunk in bytes.chunks { data.append(chunk) }
            } catch let failure as URLError {
                error = failure
            }
        }
        #expect(server.requests.last?.header("Range") == "bytes=0-")
        if later == "v1" {
            #expect(error == nil)
            #expect(data == LoopbackServer.pattern(count: Self.size))
        } else {
            #expect(error?.ferryCode == .cannotContinue)
            #expect(data.isEmpty)
        }
    }

    @Test("A download whose entity has changed contains exactly the new one", arguments: [1000, 700_000])
    func changedDownload(_ size: Int) async throws {
        let gate = Gate()
        let server = try server(gate, etag: "v1") { request in
            .resource(.pattern(count: size, offset: 7), etag: "v2", for: request)
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.downloadTask(with: server.url)
        try await interrupt(task, of: session, gate, server)
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil)
        #expect(record.file == LoopbackServer.pattern(count: size, offset: 7))
        #expect(record.wroteTotals.last == Int64(size))
        #expect(task.countOfBytesReceived == size)
        #expect(task.countOfBytesExpectedToReceive == size)
        #expect((task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") == "\"v2\"")
        #expect(delegate.violations == [])
    }

    @Test("A handler's download whose entity has changed counts only the new one", arguments: [true, false])
    func changedHandlerDownload(_ hasDelegate: Bool) async throws {
        let gate = Gate()
        let server = try server(gate, etag: "v1") { request in
            .resource(.pattern(count: 1000, offset: 7), etag: "v2", for: request)
        }
        let outcome = Watched<[Outcome<Data>]>([])
        let session = makeSession(hasDelegate ? RecordingDelegate() : nil)
        let task = session.downloadTask(with: server.url) { url, response, error in
            outcome.append(Outcome(url.flatMap { try? Data(contentsOf: $0) }, response, error))
        }
        try await interrupt(task, of: session, gate, server)
        #expect(try await outcome.first().value == LoopbackServer.pattern(count: 1000, offset: 7))
        #expect(task.countOfBytesReceived == 1000)
        #expect(task.countOfBytesExpectedToReceive == 1000)
    }

    @Test("Without a validator the task fails with a lost connection", arguments: ["data", "download"])
    func noValidator(_ kind: String) async throws {
        let gate = Gate()
        let server = try server(gate, etag: nil) { _ in .pattern(count: Self.size) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = kind == "data" ? session.dataTask(with: server.url) : session.downloadTask(with: server.url)
        try await interrupt(task, of: session, gate, server)
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .networkConnectionLost)
        #expect(server.requestCount == 1)
        #expect(delegate.violations == [])
    }

    @Test("A server that refuses the range fails the task", arguments: [404, 500, 416])
    func refusedRange(_ status: Int) async throws {
        let gate = Gate()
        let server = try server(gate, etag: "v1") { _ in .status(status) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        try await interrupt(task, of: session, gate, server)
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .networkConnectionLost)
        #expect(record.data == LoopbackServer.pattern(count: Self.first))
        #expect(server.requestCount == 2)
    }

    @Test("A server that is gone fails the task immediately, and is not asked again and again")
    func serverGone() async throws {
        let gate = Gate()
        let server = try server(gate, etag: "v1") { _ in .status(500) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        task.resume()
        try await eventually("a part") { delegate[task].data.count == Self.first }
        task.suspend()
        try await session.overtake()
        server.stop()
        let closed = try ClosedPort(server.port)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect([.cannotConnectToHost, .networkConnectionLost].contains(record.error?.code))
        withExtendedLifetime(closed) {}
    }

    @Test("A server that closes repeatedly is asked once for each suspension") func closesAgain() async throws {
        let gate = Gate()
        let server = try server(gate, etag: "v1") { request in
            .resource(.pattern(count: Self.size), etag: "v1", for: request).faulted(.truncate(afterBodyBytes: 10))
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        try await interrupt(task, of: session, gate, server)
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .networkConnectionLost)
        #expect(record.data == LoopbackServer.pattern(count: Self.first + 10))
        #expect(server.requestCount == 2)
    }

    @Test("An upload whose connection ended while it was suspended fails with a lost connection")
    func upload() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.receiveBufferSize = 32_768
        configuration.bodyReading = { _ in .early(.empty, afterBytes: 2_000_000) }
        let server = try LoopbackServer(configuration: configuration) { _ in .text("never") }
        let suspended = Watched(false)
        var hooks = DelegateHooks()
        hooks.onSent = { task, _ in
            let isFirst = suspended.change { suspended in
                defer { suspended = true }
                return !suspended
            }
            if isFirst { task.suspend() }
        }
        let delegate = RecordingDelegate(hooks)
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        let session = makeSession(delegate)
        let task = session.uploadTask(with: request, from: Data(count: 40_000_000))
        task.resume()
        try await eventually("suspension") { task.state == .suspended }
        try await session.overtake()
        server.stop()
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .networkConnectionLost)
        #expect(delegate.violations == [])
    }

    @Test("A task whose server closed before the head fails with a lost connection") func beforeHead() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .empty
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        task.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        task.suspend()
        try await session.overtake()
        gate.open()
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
        #expect(delegate[task].completions == 0)
        task.resume()
        #expect(try await delegate.completion(of: task).error?.code == .networkConnectionLost)
    }
}
