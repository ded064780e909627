import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct CancelTests {
    /// The kinds of task, with a delegate.
    enum Kind: String, CaseIterable {
        case data
        case upload
        case download

        func task(_ session: CurlSession, _ url: URL) -> URLSessionTask {
            var request = URLRequest(url: url)
            switch self {
            case .data: return session.dataTask(with: request)
            case .download: return session.downloadTask(with: request)
            case .upload:
                request.httpMethod = "POST"
                return session.uploadTask(with: request, from: Data(count: 50_000))
            }
        }
    }

    /// Cancels the task, and checks the invariants of a cancelled task.
    private func cancel(_ task: URLSessionTask, _ delegate: RecordingDelegate) async throws {
        let start = ContinuousClock.now
        task.cancel()
        #expect(task.state == .canceling || task.state == .completed)
        let record = try await delegate.completion(of: task)
        // The request's own timeout is longer.
        #expect(try #require(record.completedAt) - start < .seconds(30))
        #expect(record.error?.code == .cancelled)
        #expect(record.error?.failingURL == task.originalRequest?.url)
        #expect((task.error as? URLError)?.code == .cancelled)
        #expect(task.state == .completed)
        #expect(delegate.violations == [])
    }

    @Test("A task cancelled before it is resumed completes and sends nothing", arguments: Kind.allCases)
    func beforeResume(_ kind: Kind) async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let task = kind.task(makeSession(delegate), server.url)
        try await cancel(task, delegate)
        task.resume()
        #expect(task.state == .completed)
        #expect(delegate[task].names == ["completed"])
        #expect(server.connectionCount == 0)
    }

    @Test("A task that could not have run, cancelled before it is resumed, completes as well")
    func beforeFailing() async throws {
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let url = try #require(URL(string: "gopher://127.0.0.1/"))
        let tasks = [
            session.dataTask(with: url), session.downloadTask(with: url),
            session.downloadTask(withResumeData: Data("nothing to go on with".utf8)),
        ]
        for task in tasks {
            try await cancel(task, delegate)
            #expect(delegate[task].names == ["completed"])
        }
    }

    @Test("A task cancelled immediately after it was resumed completes", arguments: Kind.allCases)
    func rightAfterResume(_ kind: Kind) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        for _ in 0..<30 {
            let task = kind.task(session, server.url)
            task.resume()
            try await cancel(task, delegate)
        }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test(
        "A task cancelled while it waits for a connection completes, and the others continue",
        arguments: Kind.allCases
    )
    func queued(_ kind: Kind) async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/gated" ? .gated(gate, first: 10, of: 20) : .text(request.path)
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.httpMaximumConnectionsPerHost = 1 }
        let first = session.dataTask(with: server.url("/gated"))
        first.resume()
        try await eventually("ten bytes") { delegate[first].data.count == 10 }
        let waiting = kind.task(session, server.url("/waiting"))
        let last = session.dataTask(with: server.url("/last"))
        waiting.resume()
        last.resume()
        try await cancel(waiting, delegate)
        gate.open()
        #expect(try await delegate.completion(of: first).data == LoopbackServer.pattern(count: 20))
        #expect(try await delegate.completion(of: last).data == Data("/last".utf8))
        #expect(server.requests.map(\.path) == ["/gated", "/last"])
    }

    @Test("A task cancelled while it connects completes", arguments: Kind.allCases)
    func connecting(_ kind: Kind) async throws {
        let listener = try UnansweringListener()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = kind.task(session, listener.url)
        task.resume()
        try await session.overtake()
        #expect(delegate[task].events == [])
        try await cancel(task, delegate)
    }

    @Test("A task cancelled while it waits for the head completes", arguments: Kind.allCases)
    func waitingForHead(_ kind: Kind) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let delegate = RecordingDelegate()
        let task = kind.task(makeSession(delegate), server.url)
        task.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        try await cancel(task, delegate)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A task cancelled in the middle of its body completes", arguments: Kind.allCases, [false, true])
    func midBody(_ kind: Kind, _ isSuspended: Bool) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000).faulted(.stall(afterBodyBytes: 50_000)) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = kind.task(session, server.url)
        task.resume()
        try await eventually("half of it") { task.countOfBytesReceived == 50_000 }
        if isSuspended {
            task.suspend()
            try await session.overtake()
        }
        try await cancel(task, delegate)
        #expect(task.progress.fractionCompleted < 1)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A task cancelled in the middle of an upload completes") func midUpload() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.receiveBufferSize = 65_536
        // A server that does not read at all would not notice the end after the bytes in transit.
        configuration.bodyReading = { _ in .paced(bytesPerSecond: 10_000_000) }
        let server = try LoopbackServer(configuration: configuration) { _ in .text("never") }
        let delegate = RecordingDelegate()
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        let task = makeSession(delegate).uploadTask(with: request, from: Data(count: 30_000_000))
        task.resume()
        try await eventually("some of it") { task.countOfBytesSent > 0 }
        try await cancel(task, delegate)
        #expect(task.countOfBytesSent < 30_000_000)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A completed task ignores cancel") func completed() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/bytes/10"))
        task.resume()
        let record = try await delegate.completion(of: task)
        task.cancel()
        task.progress.cancel()
        try await session.overtake()
        #expect(delegate[task].events == record.events)
        #expect(task.error == nil)
    }

    @Test("A task cancelled twice completes once") func twice() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url)
        task.resume()
        task.cancel()
        task.cancel()
        try await delegate.completion(of: task)
        task.cancel()
        try await session.overtake()
        #expect(delegate[task].completions == 1)
    }

    @Test(
        "A task cancelled in its own callback has no other callback than its completion",
        arguments: ["response", "data", "sent", "redirect", "wrote", "needsBodyStream", "finishedDownload"]
    )
    func fromCallback(_ place: String) async throws {
        let server = try LoopbackServer()
        var hooks = DelegateHooks()
        hooks.onResponse = { task, _, answer in
            if place == "response" { task.cancel() }
            answer(.allow)
        }
        hooks.onData = { task, _ in if place == "data" { task.cancel() } }
        hooks.onSent = { task, _ in if place == "sent" { task.cancel() } }
        hooks.onWrote = { task, _ in if place == "wrote" { task.cancel() } }
        hooks.onFinishedDownload = { task, _ in if place == "finishedDownload" { task.cancel() } }
        hooks.onRedirect = { task, _, request, answer in
            if place == "redirect" { task.cancel() }
            answer(request)
        }
        hooks.onBodyStream = { task, answer in
            if place == "needsBodyStream" { task.cancel() }
            answer(InputStream(data: Data(count: 5_000_000)))
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let task: URLSessionTask =
            switch place {
            case "sent": session.uploadTask(with: request, from: Data(count: 5_000_000))
            case "needsBodyStream": session.uploadTask(withStreamedRequest: request)
            case "wrote", "finishedDownload": session.downloadTask(with: server.url("/bytes/5000000"))
            default: session.dataTask(with: server.url("/redirect-to?url=/bytes/5000000"))
            }
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .cancelled)
        #expect(record.names.suffix(2) == [place, "completed"])
        #expect(delegate.violations == [])
    }

    @Test("A task cancelled by many threads concurrently completes once") func manyThreads() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        for _ in 0..<20 {
            let task = session.dataTask(with: server.url)
            task.resume()
            await onThreads(16) { _ in task.cancel() }
            let record = try await delegate.completion(of: task)
            #expect(record.completions == 1)
        }
        #expect(delegate.violations == [])
    }

    @Test("Cancelling one task does not affect the others of its connection pool")
    func othersUndisturbed() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let kept = (0..<10).map { session.dataTask(with: server.url("/drip?bytes=2000&chunk=100&interval=5&n=\($0)")) }
        let cancelled = (0..<10).map { session.dataTask(with: server.url("/stall?bytes=2000&after=100&n=\($0)")) }
        for (one, other) in zip(kept, cancelled) {
            one.resume()
            other.resume()
        }
        try await eventually("a start") { delegate[kept[0]].data.count > 0 }
        for task in cancelled { task.cancel() }
        for task in kept {
            #expect(try await delegate.completion(of: task).data == LoopbackServer.pattern(count: 2000))
        }
        for task in cancelled { #expect(try await delegate.completion(of: task).error?.code == .cancelled) }
        #expect(delegate.violations == [])
    }

    @Test("Handlers are called once with -999, without data", arguments: [true, false])
    func handlers(_ isDownload: Bool) async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let outcomes = Watched<[Outcome<String>]>([])
        let url = server.url("/stall?bytes=100&after=50")
        let task: URLSessionTask =
            isDownload
            ? session.downloadTask(with: url) { outcomes.append(Outcome($0?.path, $1, $2)) }
            : session.dataTask(with: url) { outcomes.append(Outcome($0?.description, $1, $2)) }
        task.resume()
        try await eventually("half of it") { task.countOfBytesReceived == 50 }
        task.cancel()
        let outcome = try await outcomes.first()
        #expect(outcome.code == .cancelled)
        #expect(outcome.value == nil)
        try await session.overtake()
        #expect(outcomes.current.count == 1)
    }

    @Test("Undelivered data is not delivered after cancelling") func undelivered() async throws {
        let server = try LoopbackServer()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, queue: queue)
        let task = session.dataTask(with: server.url("/bytes/1000"))
        queue.isSuspended = true
        task.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        // No event announces that data is waiting for the queue: it gets a moment to arrive.
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        queue.isSuspended = false
        #expect(try await delegate.completion(of: task).names == ["completed"])
    }
}
