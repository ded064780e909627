import Dispatch
import Ferry
import FerryObservability
import FerryTesting
import MetricsTestKit
import Synchronization
import Testing

@Suite("Tracers that call the client", .timeLimit(.minutes(5)))
struct CallbackTests {
    /// The objects that a tracer's closure uses; they are made after the tracer.
    private final class Client: Sendable {
        private let state = Mutex<(manager: HTTPSessionManager?, task: URLSessionTask?, calls: Int)>((nil, nil, 0))

        var manager: HTTPSessionManager? {
            get { state.withLock { $0.manager } }
            set { state.withLock { $0.manager = newValue } }
        }
        var task: URLSessionTask? {
            get { state.withLock { $0.task } }
            set { state.withLock { $0.task = newValue } }
        }

        /// Returns whether this is one of the first calls.
        func isEarly(_ limit: Int) -> Bool {
            state.withLock { state in
                state.calls += 1
                return state.calls <= limit
            }
        }
    }

    private func manager(
        _ server: LoopbackServer,
        _ tracer: CallbackTracer,
        _ metrics: TestMetrics = TestMetrics()
    ) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability(tracer: tracer, metricsFactory: metrics)]
        manager.notificationQueue = nil
        return manager
    }

    /// Waits until a condition holds, which it does soon unless the test fails.
    private func wait(until condition: () -> Bool) async {
        for _ in 0..<1_000 where !condition() { try? await Task.sleep(for: .milliseconds(10)) }
    }

    @Test(
        "A request may be cancelled, and another one awaited, while a span of it begins",
        arguments: ["HTTP call", "GET"]
    )
    func cancelledWhileSpanBegins(_ name: String) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let client = Client()
        let hasWaited = Mutex(false)
        let hasCompleted = DispatchSemaphore(value: 0)
        var tracer = CallbackTracer()
        tracer.willBegin = { begun in
            guard begun == name, client.isEarly(1) else { return }
            client.task?.cancel()
            client.manager?.send(.get("b", serializer: .string)) { _ in hasCompleted.signal() }
            let result = hasCompleted.wait(timeout: .now() + 20)
            hasWaited.withLock { $0 = result == .success }
        }
        let metrics = TestMetrics()
        let manager = manager(server, tracer, metrics)
        client.manager = manager
        let error = await withCheckedContinuation { continuation in
            let task = manager.dataTask(with: URLRequest(url: server.url), serializer: .string) { response in
                continuation.resume(returning: response.error)
            }
            client.task = task
            DispatchQueue(label: "caller").async { task.resume() }
        }
        #expect(error == .cancelled)
        let log = tracer.log
        await wait { log.all.count == 4 && log.all.allSatisfy { $0.ends > 0 } }
        #expect(hasWaited.withLock { $0 })
        #expect(log.all.map(\.ends) == [1, 1, 1, 1])
        #expect(log.all.filter { $0.parent == nil }.map(\.name) == ["HTTP call", "HTTP call"])
        #expect(Set(log.all.compactMap(\.parent)).count == 2)
        let meter = try #require(metrics.meters(label: "http.client.active_requests").first)
        #expect(meter.lastValue == 0)
        client.manager = nil
    }

    @Test("Requests may be sent and cancelled while a span ends")
    func requestsWhileSpanEnds() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let client = Client()
        let ended = Mutex<[NetworkError?]>([])
        var tracer = CallbackTracer()
        tracer.willEnd = { _ in
            guard client.isEarly(4) else { return }
            let task = client.manager?.send(.get("b", serializer: .string)) { response in
                ended.withLock { $0.append(response.error) }
            }
            if client.isEarly(4) { task?.cancel() }
        }
        let manager = manager(server, tracer)
        client.manager = manager
        _ = try await manager.send(.get("a", serializer: .string))
        let log = tracer.log
        await wait { ended.withLock { $0.count } == 2 && log.all.allSatisfy { $0.ends > 0 } }
        #expect(ended.withLock { $0.filter { $0 != nil && $0 != .cancelled } }.isEmpty)
        #expect(log.all.allSatisfy { $0.ends == 1 })
        client.manager = nil
    }

    @Test("Every span that began has ended once, while calls are retried and cancelled, and the tracer takes a lock")
    func concurrentCalls() async throws {
        let answers = Mutex(0)
        let server = try LoopbackServer { _ in
            let number = answers.withLock { number in
                number += 1
                return number
            }
            return .text("x", statusCode: number.isMultiple(of: 3) ? 503 : 200)
        }
        // The program holds the lock while it starts requests, and the tracer acquires it.
        let lock = NSRecursiveLock()
        var tracer = CallbackTracer()
        tracer.willBegin = { _ in lock.withLock {} }
        tracer.willEnd = { _ in lock.withLock {} }
        let metrics = TestMetrics()
        let manager = manager(server, tracer, metrics)
        var policy = RetryPolicy.standard
        policy.backoff = RetryPolicy.Backoff(base: 0.001)
        manager.retryPolicy = policy
        let calls = 400
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<calls {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let task = lock.withLock {
                            manager.send(.get("\(number)", serializer: .string)) { _ in continuation.resume() }
                        }
                        // A third is cancelled at once, a third soon, on other threads.
                        let delay = Double(number % 3) * 0.002
                        guard number % 3 < 2 else { return }
                        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { lock.withLock { task?.cancel() } }
                    }
                }
            }
        }
        let log = tracer.log
        await wait { log.all.allSatisfy { $0.ends > 0 } }
        let spans = log.all
        #expect(spans.allSatisfy { $0.ends == 1 })
        #expect(spans.count { $0.parent == nil } == calls)
        let attempts = Dictionary(grouping: spans.filter { $0.parent != nil }, by: \.parent)
        #expect(attempts.keys.allSatisfy { id in id.map { spans[$0].name } == "HTTP call" })
        #expect(attempts.values.allSatisfy { $0.map { $0.resendCount ?? 0 } == Array($0.indices) })
        let sent = server.requests.map { $0.header("X-Span").flatMap { Int($0) } }
        #expect(Set(sent).count == sent.count)
        #expect(sent.allSatisfy { id in id.map { spans[$0].parent != nil } ?? false })
        let meter = try #require(metrics.meters(label: "http.client.active_requests").first)
        await wait { meter.lastValue == 0 }
        #expect(meter.lastValue == 0)
    }
}
