import Ferry
import FerryObservability
import FerryTesting
import InMemoryTracing
import Testing
import Tracing

@Suite("Spans of other tasks", .timeLimit(.minutes(5)))
struct TaskKindTests {
    private let tracer = TraceContextTracer()
    private var spans: [FinishedInMemorySpan] { tracer.memory.finishedSpans }

    private func manager(_ server: LoopbackServer, _ transport: SessionTransport = .curl) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral, transport: transport)
        manager.eventMonitors = [Observability(tracer: tracer)]
        manager.notificationQueue = nil
        return manager
    }

    /// Waits for the end of the call, which is announced after its completion handler.
    private func waitForSpans(_ count: Int) async throws {
        try await Eventually.holds { spans.count >= count }
        #expect(spans.count == count)
        #expect(tracer.memory.activeSpans.isEmpty)
    }

    @Test("A download has spans, and those of its retries")
    func download() async throws {
        let server = try LoopbackServer(script: [.respond(statusCode: 503)]) { _ in .pattern(count: 100_000) }
        let manager = manager(server)
        manager.retryPolicy = RetryPolicy.standard
        manager.retryPolicy?.backoff = RetryPolicy.Backoff(base: 0.01)
        let file = try await manager.download(.get("x", serializer: .data))
        try FileManager.default.removeItem(at: file)
        try await waitForSpans(3)
        let attempts = spans.filter { $0.kind == .client }
        #expect(attempts.map { $0.text("http.response.status_code") } == ["503", "200"])
        #expect(server.requests.map { $0.header("traceparent") } == attempts.map(TraceContextTracer.field))
    }

    @Test("A stream belongs to the code that reads its first piece")
    func stream() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 10_000) }
        let stream = manager(server).stream(.get("x", serializer: .data))
        let count = try await tracer.withSpan("reading") { _ in
            try await stream.reduce(0) { $0 + $1.count }
        }
        #expect(count == 10_000)
        try await waitForSpans(3)
        let reading = try #require(spans.first { $0.operationName == "reading" })
        #expect(spans.first { $0.operationName == "HTTP call" }?.parentSpanID == reading.spanID)
    }

    @Test("A session that is invalidated ends the spans of its tasks")
    func invalidated() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("x").faulted(.stallBeforeHead) }
        let manager = manager(server)
        let call = Task { await manager.response(for: .get("x", serializer: .string)).error?.code }
        try await server.waitForRequests(1)
        manager.invalidate(cancellingTasks: true)
        let code = try #require(await call.value)
        try await waitForSpans(2)
        #expect(spans.map { $0.text("error.type") } == [code.rawValue, code.rawValue])
    }

    @Test("A task that is suspended and resumed has one span")
    func suspended() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = manager(server)
        let (ends, continuation) = AsyncStream<Void>.makeStream()
        let task = manager.dataTask(with: URLRequest(url: server.url), serializer: .string) { _ in
            continuation.yield()
        }
        task.resume()
        task.suspend()
        task.resume()
        for await _ in ends { break }
        try await waitForSpans(2)
    }

    @Test("With the system's session, whose tasks have no interceptors, there are no spans")
    func systemSession() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let text = try await manager(server, .system).send(.get("x", serializer: .string))
        #expect(text == "x")
        #expect(spans.isEmpty)
        #expect(tracer.memory.activeSpans.isEmpty)
        #expect(server.requests.first?.header("traceparent") == nil)
    }

    @Test("Each of many concurrent calls has its own outcome")
    func failures() async throws {
        let server = try LoopbackServer { request in
            request.path.hasSuffix("bad") ? .text("x", statusCode: 500) : .text("x")
        }
        let manager = manager(server)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let path = number.isMultiple(of: 2) ? "\(number)/bad" : "\(number)/good"
                group.addTask { _ = await manager.response(for: .get(path, serializer: .string)) }
            }
        }
        try await waitForSpans(40)
        for span in spans {
            let isBad = span.text("url.full")?.hasSuffix("bad") == true
            #expect(span.text("error.type") == (isBad ? "500" : nil))
            #expect((span.status?.code == .error) == isBad)
        }
    }
}
