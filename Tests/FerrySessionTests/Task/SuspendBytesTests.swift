import FerrySession
import FerryTesting
import Testing

/// Suspending stops the bytes on the wire, not only the callbacks.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SuspendBytesTests {
    /// More than all the buffers between a server and a client on one machine can hold.
    private static let size = 48_000_000

    /// A server that sends a little, and the rest once the task is suspended.
    private func server(_ gate: Gate) throws -> LoopbackServer {
        try LoopbackServer { _ in .gated(gate, first: 100_000, of: Self.size) }
    }

    /// Suspends a task that has received its first bytes, and checks how much the server can then send.
    private func suspend(
        _ task: URLSessionTask,
        of session: CurlSession,
        _ gate: Gate,
        _ server: LoopbackServer
    ) async throws {
        task.resume()
        try await eventually("the first bytes") { task.countOfBytesReceived == 100_000 }
        task.suspend()
        // The engine has suspended the task before more is sent.
        try await session.overtake()
        gate.open()
        let sent = try await settled { server.sentByteCount }
        #expect(sent < Self.size / 2)
        #expect(task.countOfBytesReceived == 100_000)
        #expect(task.progress.fractionCompleted < 0.1)
    }

    @Test("A suspended data task stops the server's sending, and continues with the right bytes")
    func data() async throws {
        let gate = Gate()
        let server = try server(gate)
        let reader = Watched(PatternReader())
        var hooks = DelegateHooks()
        hooks.onData = { _, data in reader.change { $0.read(data) } }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        try await suspend(task, of: session, gate, server)
        task.resume()
        #expect(try await delegate.completion(of: task).error == nil)
        #expect(reader.change { $0.isExact && $0.count == Self.size })
        #expect(server.requestCount == 1)
        #expect(delegate.violations == [])
    }

    @Test("A suspended download stops the server's sending, and its file is correct") func download() async throws {
        let gate = Gate()
        let server = try server(gate)
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.downloadTask(with: server.url)
        try await suspend(task, of: session, gate, server)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.file == LoopbackServer.pattern(count: Self.size))
        #expect(server.requestCount == 1)
        #expect(delegate.violations == [])
    }

    @Test("A suspended upload stops its bytes, and its body is correct") func upload() async throws {
        // Most of the time is spent waiting.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for kind in ["data", "file", "stream"] { group.addTask { try await Self.suspendUpload(kind) } }
            try await group.waitForAll()
        }
    }

    private static func suspendUpload(_ kind: String) async throws {
        let size = 24_000_000
        var configuration = LoopbackServer.Configuration()
        configuration.receiveBufferSize = 65_536
        configuration.hashesBodies = false
        configuration.keptBodySize = size
        // The server sends so slowly that the suspension comes before the end, also on a busy machine.
        configuration.bodyReading = { _ in .paced(bytesPerSecond: size / 3) }
        let server = try LoopbackServer(configuration: configuration) { _ in .text("done") }
        let body = LoopbackServer.pattern(count: size)
        let suspended = Watched(false)
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in answer(InputStream(data: body)) }
        hooks.onSent = { task, _ in
            let isFirst = suspended.change { suspended in
                defer { suspended = true }
                return !suspended
            }
            if isFirst { task.suspend() }
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        let file = try TemporaryFile(kind == "file" ? body : Data())
        let task: URLSessionUploadTask =
            switch kind {
            case "data": session.uploadTask(with: request, from: body)
            case "file": session.uploadTask(with: request, fromFile: file.url)
            default: session.uploadTask(withStreamedRequest: request)
            }
        task.resume()
        try await eventually("suspension of \(kind)") { task.state == .suspended }
        // The server reads slowly, and on a busy machine not at all for a second or two.
        let arrived = try await settled(polls: 400) { server.receivedByteCount }
        #expect(arrived < size, "\(kind)")
        let sent = task.countOfBytesSent
        try await session.overtake()
        #expect(server.receivedByteCount == arrived, "\(kind)")
        #expect(task.countOfBytesSent == sent, "\(kind)")
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil, "\(kind)")
        #expect(record.sentTotals.last == Int64(size), "\(kind)")
        #expect(server.requests.map(\.body) == [body], "\(kind)")
        #expect(delegate.violations == [], "\(kind)")
    }

    @Test("A task with a handler can be suspended and resumed too", arguments: ["data", "download"])
    func handlers(_ kind: String) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 50_000, of: 100_000) }
        let session = makeSession()
        let outcome = Watched<[Outcome<Data>]>([])
        let task: URLSessionTask =
            kind == "data"
            ? session.dataTask(with: server.url) { outcome.append(Outcome($0, $1, $2)) }
            : session.downloadTask(with: server.url) { url, response, error in
                outcome.append(Outcome(url.flatMap { try? Data(contentsOf: $0) }, response, error))
            }
        task.resume()
        try await eventually("half of it") { task.countOfBytesReceived == 50_000 }
        task.suspend()
        try await session.overtake()
        let sent = server.sentByteCount
        gate.open()
        try await eventually("the rest") { server.sentByteCount > sent }
        try await session.overtake()
        #expect(task.countOfBytesReceived == 50_000)
        #expect(outcome.current.isEmpty)
        task.resume()
        #expect(try await outcome.first().value == LoopbackServer.pattern(count: 100_000))
    }
}
