import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// Tasks that are cancelled before their start has reached the engine.
@Suite(.timeLimit(.minutes(5)))
struct CancelledStartTests {
    /// An interceptor that waits at a gate on the thread that resumes the task.
    private struct Blocking: ImmediateRequestInterceptor {
        let gate: Gate

        func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
            gate.wait()
            return true
        }
    }

    @Test("A start that reaches the engine after the cancellation makes no attempt and asks no interceptor")
    func order() async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        let session = makeSession()
        let engine = try #require(session.engine)
        let task = session.dataTask(with: server.url)
        let core = try #require((task as? any CurlTask)?.core)
        let asked = Watched(0)
        let interceptor = ClosureInterceptor { _, _ in asked.change { $0 += 1 } }
        for isIntercepted in [false, true] {
            let request = URLRequest(url: server.url)
            let limits = TransferClock.Limits(call: TimeSpan(seconds: 600))
            let group = session.core.group
            let settings = RecoverySettings { values in
                values.retry = .standard
                if isIntercepted { values.interceptors = RequestInterceptors([interceptor]) }
            }
            var call = Call(request, body: .none, isDownload: false, settings: session.settings)
            let identity = TaskIdentity(session: 0, task: task.taskIdentifier)
            call.recover(by: Attempts(settings, request, task: identity, originalURL: server.url, received: .zero))
            let driver = CallDriver(engine, group, call, client: core, limits: limits)
            driver.perform(.cancel(telling: nil))
            driver.perform(.start(priority: URLSessionTask.defaultPriority))
        }
        try await session.overtake()
        #expect(server.connectionCount == 0)
        // An interceptor that was asked before this task's has run before it.
        let last = session.dataTask(with: server.url)
        last.interceptors = [interceptor]
        last.resume()
        try await eventually("the last task") { last.state == .completed }
        #expect(asked.current == 1)
        #expect(server.requests.count == 1)
        session.invalidateAndCancel()
    }

    @Test("A task that is cancelled while an interceptor is asked in resume() sends nothing")
    func duringResume() async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        // The sleeping engine, which has a connection, would send the request within resume().
        _ = try await session.data(from: server.url)
        let gate = Gate()
        let task = session.dataTask(with: server.url("/cancelled"))
        task.interceptors = [Blocking(gate: gate)]
        let isResumed = Watched(false)
        Thread.detachNewThread {
            task.resume()
            isResumed.change { $0 = true }
        }
        try await eventually("the interceptor") { gate.arrived == 1 }
        task.cancel()
        #expect(try await delegate.completion(of: task).error?.code == .cancelled)
        gate.open()
        try await isResumed.wait { $0 }
        try await session.overtake()
        #expect(server.requests.map(\.path) == ["/"])
        #expect(delegate[task].names == ["completed"])
        #expect(delegate[task].completions == 1)
    }

    @Test("A task that is cancelled while it is resumed sends nothing or a whole request, and is cancelled once")
    func race() async throws {
        let connections = Watched((begun: 0, ended: 0))
        // Nothing responds, so that no task can end before it is cancelled.
        let server = try RawServer { connection in
            connections.change { $0.begun += 1 }
            connection.readAll()
            connections.change { $0.ended += 1 }
        }
        var policy = RetryPolicy.standard
        policy.backoff = .init(base: 0)
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed)
        let count = 300
        for index in 0..<count {
            let task = session.dataTask(with: server.url("/\(index)"))
            if index % 3 > 0 { task.retryPolicy = policy }
            if index % 3 > 1 { task.interceptors = [ClosureInterceptor { _, _ in await Task.yield() }] }
            let pauses = (0..<2).map { _ in Int.random(in: 0..<40, using: &random) }
            await onThreads(2) { worker in
                for _ in 0..<pauses[worker] { sched_yield() }
                if worker == 0 { task.resume() } else { task.cancel() }
            }
            let record = try await delegate.completion(of: task)
            #expect(record.error?.code == .cancelled, "FERRY_TEST_SEED=\(seed), \(index)")
            #expect(task.metrics?.retries.isEmpty == true, "FERRY_TEST_SEED=\(seed), \(index)")
        }
        session.finishTasksAndInvalidate()
        try await eventually("the end of the engine") { delegate.invalidations == 1 }
        try await eventually("the end of all connections") { connections.change { $0.begun == $0.ended } }
        try await eventually("their records") { connections.current.ended == server.received.count }
        for text in server.texts where !text.isEmpty {
            let isWhole = text.hasPrefix("GET /") && text.hasSuffix("\r\n\r\n")
            #expect(isWhole && text.ranges(of: "\r\n\r\n").count == 1, "FERRY_TEST_SEED=\(seed): \(text)")
        }
        #expect(delegate.completionCount == count)
        #expect(delegate.violations == [], "FERRY_TEST_SEED=\(seed)")
    }
}
