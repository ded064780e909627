import Ferry
import FerryObservability
import FerryTesting
import InMemoryTracing
import Testing
import Tracing

@Suite("Tracing", .timeLimit(.minutes(5)))
struct TracingTests {
    private let tracer = TraceContextTracer()
    private var spans: [FinishedInMemorySpan] { tracer.memory.finishedSpans }

    private func manager(_ server: LoopbackServer) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability(tracer: tracer)]
        manager.notificationQueue = nil
        return manager
    }

    private func policy() -> RetryPolicy {
        var policy = RetryPolicy.standard
        policy.backoff = RetryPolicy.Backoff(base: 0.01)
        return policy
    }

    @Test("A call has a span, and its attempt a span below it, whose context is sent")
    func oneCall() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = manager(server)
        let text = try await manager.send(
            .get("items?page=2&access_token=s3cret", serializer: .string)
        )
        #expect(text == "x")
        let (attempt, call) = try #require(spans.count == 2 ? (spans[0], spans[1]) : nil)
        #expect(call.operationName == "HTTP call")
        #expect(call.kind == .internal)
        #expect(call.parentSpanID == nil)
        #expect(call.text("http.response.status_code") == "200")
        #expect(attempt.operationName == "GET")
        #expect(attempt.kind == .client)
        #expect(attempt.parentSpanID == call.spanID)
        #expect(attempt.traceID == call.traceID)
        #expect(attempt.text("http.request.method") == "GET")
        let url = "http://127.0.0.1:\(server.port)/items?page=2&access_token=<redacted>"
        #expect(attempt.text("url.full") == url)
        #expect(call.text("url.full") == url)
        #expect(attempt.text("url.scheme") == "http")
        #expect(attempt.text("server.address") == "127.0.0.1")
        #expect(attempt.text("server.port") == "\(server.port)")
        #expect(attempt.text("http.response.status_code") == "200")
        #expect(attempt.text("network.protocol.version") == "1.1")
        #expect(attempt.text("http.request.resend_count") == nil)
        #expect(attempt.text("error.type") == nil)
        #expect(attempt.status == nil)
        #expect(attempt.startInstant.nanosecondsSinceEpoch >= call.startInstant.nanosecondsSinceEpoch)
        #expect(attempt.endInstant.nanosecondsSinceEpoch <= call.endInstant.nanosecondsSinceEpoch)
        #expect(server.requests.first?.header("traceparent") == TraceContextTracer.field(attempt))
    }

    @Test("Each attempt of a call that is retried has a span of its own, with how it has ended")
    func retries() async throws {
        // A connection that breaks when it is used again would be replaced within the attempt.
        let script: FaultScript = [.reset, .respond(statusCode: 503)]
        let server = try LoopbackServer(script: script) { _ in .text("x") }
        let manager = manager(server)
        manager.retryPolicy = policy()
        _ = try await manager.send(.get("x", serializer: .string))
        let attempts = spans.filter { $0.kind == .client }.sorted { $0.spanID < $1.spanID }
        let call = try #require(spans.last)
        #expect(attempts.count == 3)
        #expect(spans.count == 4)
        #expect(attempts.map { $0.text("http.request.resend_count") } == [nil, "1", "2"])
        #expect(attempts.map { $0.text("http.response.status_code") } == [nil, "503", "200"])
        #expect(attempts.map { $0.text("error.type") } == ["connectionLost", "503", nil])
        #expect(attempts.map { $0.status?.code } == [.error, .error, nil])
        #expect(attempts[1].status?.message == "The server responded with 503")
        #expect(attempts.allSatisfy { $0.parentSpanID == call.spanID })
        #expect(call.kind == .internal)
        #expect(call.text("error.type") == nil)
        #expect(call.status == nil)
        #expect(server.requests.map { $0.header("traceparent") } == attempts.map(TraceContextTracer.field))
    }

    @Test("An interceptor that has the request sent again gives each attempt its span too")
    func interceptor() async throws {
        struct Again: RequestInterceptor {
            func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision {
                attempt.number < 3 ? .retry : .proceed
            }
        }
        let server = try LoopbackServer { _ in .text("x", statusCode: 500) }
        let manager = manager(server)
        manager.interceptors = [Again()]
        let error = await #expect(throws: NetworkError.self) {
            _ = try await manager.send(.get("x", serializer: .string))
        }
        #expect(error?.statusCode == 500)
        let attempts = spans.filter { $0.kind == .client }.sorted { $0.spanID < $1.spanID }
        #expect(attempts.map { $0.text("error.type") } == ["500", "500", "500"])
        #expect(attempts.map { $0.text("http.request.resend_count") } == [nil, "1", "2"])
        #expect(server.requests.map { $0.header("traceparent") } == attempts.map(TraceContextTracer.field))
        let call = try #require(spans.last)
        #expect(call.text("error.type") == "500")
        #expect(call.status?.code == .error)
    }

    @Test("An interceptor that has to wait does not cause a second span")
    func waitingInterceptor() async throws {
        struct Waits: ImmediateRequestInterceptor {
            func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) -> Bool { false }
            func adapt(_ request: URLRequest, for attempt: RequestAttempt) async -> URLRequest {
                await Task.yield()
                return request
            }
        }
        let server = try LoopbackServer { _ in .text("x") }
        let manager = manager(server)
        _ = try await manager.send(.get("x", serializer: .string).intercepted(by: Waits()))
        #expect(spans.map(\.kind) == [.client, .internal])
        #expect(server.requests.first?.header("traceparent") == TraceContextTracer.field(spans[0]))
    }

    @Test("A redirect ends the span of its request, and begins another")
    func redirect() async throws {
        let server = try LoopbackServer { $0.path == "/a" ? .redirect(to: "/b") : .text("x") }
        let manager = manager(server)
        _ = try await manager.send(.get("a", serializer: .string))
        let attempts = spans.filter { $0.kind == .client }
        #expect(attempts.map { $0.text("http.response.status_code") } == ["302", "200"])
        #expect(attempts.map { $0.text("http.request.resend_count") } == [nil, "1"])
        #expect(attempts.map { $0.text("url.full")?.suffix(2) } == ["/a", "/b"])
        #expect(server.requests.map { $0.header("traceparent") } == attempts.map(TraceContextTracer.field))
    }

    @Test("A challenge ends the span of its request, and its answer has another")
    func challenge() async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == nil
                ? LoopbackResponse.text("no", statusCode: 401).adding("WWW-Authenticate", #"Basic realm="a""#)
                : .text("x")
        }
        let manager = manager(server)
        manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in
            .useCredential(URLCredential(user: "ada", password: "s3cret", persistence: .none))
        }
        _ = try await manager.send(.get("a", serializer: .string))
        let attempts = spans.filter { $0.kind == .client }
        #expect(attempts.map { $0.text("http.response.status_code") } == ["401", "200"])
        #expect(attempts.map { $0.text("http.request.resend_count") } == [nil, "1"])
        #expect(server.requests.map { $0.header("traceparent") } == attempts.map(TraceContextTracer.field))
    }

    @Test("A cancelled call and its attempt end as cancelled")
    func cancelled() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("x").faulted(.stallBeforeHead) }
        let manager = manager(server)
        let call = Task { try await manager.send(.get("a", serializer: .string)) }
        try await server.waitForRequests(1)
        call.cancel()
        await #expect(throws: NetworkError.self) { try await call.value }
        #expect(spans.map(\.kind) == [.client, .internal])
        #expect(spans.map { $0.text("error.type") } == ["cancelled", "cancelled"])
        #expect(spans.allSatisfy { $0.status?.code == .error })
        #expect(tracer.memory.activeSpans.isEmpty)
    }

    @Test("A call whose response cannot be decoded has failed, and its attempt has not")
    func decoding() async throws {
        let server = try LoopbackServer { _ in .json("{") }
        let manager = manager(server)
        await #expect(throws: NetworkError.self) { try await manager.get("a", as: [String].self) }
        #expect(spans.map { $0.text("error.type") } == [nil, "decodingFailed"])
    }

    @Test("A method that is not in the conventions has no value of its own")
    func unknownMethod() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = manager(server)
        var request = URLRequest(url: server.url)
        request.httpMethod = "BREW"
        _ = try await manager.response(for: request, serializer: .string).get()
        #expect(spans.first?.operationName == "HTTP")
        #expect(spans.first?.text("http.request.method") == "_OTHER")
        #expect(spans.first?.text("http.request.method_original") == "BREW")
    }

    @Test("A task that never runs, or is cancelled before it runs, leaves no span")
    func neverStarted() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = manager(server)
        let idle = manager.dataTask(with: URLRequest(url: server.url), serializer: .string) { _ in }
        #expect(idle.interceptors.count == 1)
        await withCheckedContinuation { continuation in
            let task = manager.dataTask(with: URLRequest(url: server.url), serializer: .string) { _ in
                continuation.resume()
            }
            task.cancel()
        }
        _ = try await manager.send(.get("a", serializer: .string))
        #expect(spans.count == 2)
        #expect(tracer.memory.activeSpans.isEmpty)
        withExtendedLifetime(idle) {}
    }

    @Test("A response from the cache has a span that says so")
    func cache() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("x").adding("Cache-Control", "max-age=600") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let manager = HTTPSessionManager(baseURL: server.url, configuration: configuration)
        manager.eventMonitors = [Observability(tracer: tracer)]
        for _ in 0..<2 { _ = try await manager.send(.get("a", serializer: .string)) }
        #expect(server.requestCount == 1)
        #expect(spans.filter { $0.kind == .client }.map { $0.text("ferry.from_cache") } == [nil, "true"])
    }

    @Test("Two monitors of one manager have records of their own")
    func twoMonitors() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = manager(server)
        let other = TraceContextTracer()
        manager.eventMonitors.append(Observability(tracer: other))
        _ = try await manager.send(.get("a", serializer: .string))
        #expect(spans.map(\.kind) == [.client, .internal])
        #expect(other.memory.finishedSpans.map(\.kind) == [.client, .internal])
    }
}
