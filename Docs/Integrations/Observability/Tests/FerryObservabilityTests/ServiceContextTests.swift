import Ferry
import FerryObservability
import FerryTesting
import InMemoryTracing
import Testing
import Tracing

@Suite("The service context of a call", .timeLimit(.minutes(5)))
struct ServiceContextTests {
    private static func spans(_ tracer: TraceContextTracer) -> [String: FinishedInMemorySpan] {
        Dictionary(tracer.memory.finishedSpans.map { ($0.spanID, $0) }) { first, _ in first }
    }

    @Test("Concurrent calls that are retried each belong to the span of the code that made them")
    func concurrent() async throws {
        let script = FaultScript([.respond(statusCode: 503), .respond(statusCode: 500)], counting: .perTarget)
        let server = try LoopbackServer(script: script) { _ in .text("x") }
        let tracer = TraceContextTracer()
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability(tracer: tracer)]
        var policy = RetryPolicy.standard
        policy.backoff = RetryPolicy.Backoff(base: 0.01)
        policy.budget = nil
        manager.retryPolicy = policy
        let count = 40
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await tracer.withSpan("work \(number)") { _ in
                        await Task.yield()
                        _ = try await manager.send(.get("\(number)", serializer: .string))
                    }
                }
            }
            try await group.waitForAll()
        }
        let spans = Self.spans(tracer)
        #expect(spans.count == count * 5)
        #expect(server.requestCount == count * 3)
        for request in server.requests {
            let field = try #require(request.header("traceparent"))
            let parts = field.split(separator: "-")
            let attempt = try #require(spans[String(parts[2])])
            let call = try #require(attempt.parentSpanID.flatMap { spans[$0] })
            let work = try #require(call.parentSpanID.flatMap { spans[$0] })
            #expect(attempt.text("url.full")?.hasSuffix(request.path) == true)
            #expect(work.operationName == "work \(request.path.dropFirst())")
            #expect(parts[1] == work.traceID)
        }
    }

    @Test("The context is that of the code that makes a task, wherever the task is resumed")
    func resumedElsewhere() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let tracer = TraceContextTracer()
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability(tracer: tracer)]
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        let task = tracer.withSpan("making") { _ in
            manager.dataTask(with: URLRequest(url: server.url), serializer: .string) { _ in continuation.yield() }
        }
        tracer.withSpan("resuming") { _ in
            DispatchQueue.global().async { task.resume() }
        }
        for await _ in ends { break }
        try await Eventually.holds { tracer.memory.finishedSpans.count == 4 }
        let spans = Self.spans(tracer)
        let call = try #require(spans.values.first { $0.operationName == "HTTP call" })
        #expect(call.parentSpanID.flatMap { spans[$0] }?.operationName == "making")
    }

    @Test("A tracer that is bound to a Swift task is used for its calls, and values of its context are sent")
    func boundTracer() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability()]
        let (first, second) = (TraceContextTracer(), TraceContextTracer())
        try await withTracer(first) {
            _ = try await manager.send(.get("a", serializer: .string))
        }
        try await withTracer(second) {
            _ = try await manager.send(.get("b", serializer: .string))
        }
        _ = try await manager.send(.get("c", serializer: .string))
        #expect(first.memory.finishedSpans.first?.text("url.full")?.hasSuffix("/a") == true)
        #expect(second.memory.finishedSpans.first?.text("url.full")?.hasSuffix("/b") == true)
        #expect([first, second].map(\.memory.finishedSpans.count) == [2, 2])
        #expect(server.requests.map { $0.header("traceparent") == nil } == [false, false, true])
    }

    @Test("The description of a task remains the user's")
    func description() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability(tracer: TraceContextTracer())]
        let task = manager.dataTask(with: URLRequest(url: server.url), serializer: .string) { _ in }
        #expect(task.taskDescription == nil)
        task.taskDescription = "mine"
        task.resume()
        #expect(task.taskDescription == "mine")
    }
}

/// Waits for a condition that no event announces.
enum Eventually {
    struct TimedOut: Error {}

    static func holds(_ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while !condition() {
            guard ContinuousClock.now < end else { throw TimedOut() }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
