import Ferry
import FerryObservability
import FerryTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import Metrics
import MetricsTestKit
import Testing
import Tracing

@Suite("Metrics and logs", .timeLimit(.minutes(5)))
struct MetricsAndLogsTests {
    private func policy() -> RetryPolicy {
        var policy = RetryPolicy.standard
        policy.backoff = RetryPolicy.Backoff(base: 0.01)
        return policy
    }

    @Test("Each attempt has a duration in seconds, by method, server, status and error")
    func durations() async throws {
        let script: FaultScript = [.respond(statusCode: 503), .delay(0.05)]
        let server = try LoopbackServer(script: script) { _ in .text("x") }
        let metrics = TestMetrics()
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability(metricsFactory: metrics)]
        manager.retryPolicy = policy()
        _ = try await manager.send(.get("x", serializer: .string))
        let target = [
            ("http.request.method", "GET"), ("server.address", "127.0.0.1"), ("server.port", "\(server.port)"),
            ("url.scheme", "http"),
        ]
        let label = "http.client.request.duration"
        #expect(metrics.timers(label: label).count == 2)
        let failed = try metrics.expectTimer(
            label,
            target + [
                ("http.response.status_code", "503"), ("error.type", "503"), ("network.protocol.version", "1.1"),
            ]
        )
        #expect(failed.values.count == 1)
        let made = try metrics.expectTimer(
            label,
            target + [("http.response.status_code", "200"), ("network.protocol.version", "1.1")]
        )
        #expect(made.values.count == 1)
        #expect(made.displayUnit == .seconds)
        let nanoseconds = try #require(made.lastValue)
        #expect(nanoseconds >= 50_000_000)
        #expect(nanoseconds < 60_000_000_000)
        let active = try metrics.expectMeter("http.client.active_requests", target)
        #expect(active.values == [1, 0, 1, 0])
    }

    @Test("The number of active requests counts those of all calls, and returns to zero")
    func active() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("x").faulted(.stallBeforeHead) }
        let metrics = TestMetrics()
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability(metricsFactory: metrics)]
        let calls = (0..<5).map { number in
            Task { await manager.response(for: .get("\(number)", serializer: .string)).error?.code }
        }
        try await server.waitForRequests(5)
        let meter = try #require(metrics.meters(label: "http.client.active_requests").first)
        #expect(meter.lastValue == 5)
        for call in calls { call.cancel() }
        for call in calls { #expect(await call.value == .cancelled) }
        #expect(meter.lastValue == 0)
        #expect(meter.values.max() == 5)
    }

    @Test("A factory that is bound to a Swift task is used for its calls")
    func boundFactory() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability()]
        let metrics = TestMetrics()
        try await withMetricsFactory(metrics) {
            _ = try await manager.send(.get("x", serializer: .string))
        }
        #expect(metrics.timers(label: "http.client.request.duration").count == 1)
    }

    @Test("Start, retry and end of a call are logged, without secrets")
    func logs() async throws {
        let script: FaultScript = [.respond(statusCode: 503)]
        let server = try LoopbackServer(script: script) { _ in .text("x") }
        let handler = Self.handler(.trace)
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [Observability(logger: Logger(label: "test") { _ in handler })]
        manager.retryPolicy = policy()
        _ = try await manager.send(.get("x?api_key=s3cret", serializer: .string))
        let entries = handler.entries
        #expect(entries.map(\.level) == [.trace, .info, .debug])
        let url = "http://127.0.0.1:\(server.port)/x?api_key=<redacted>"
        #expect(entries.allSatisfy { $0.metadata["url.full"] == "\(url)" })
        #expect(entries.allSatisfy { $0.metadata["http.request.method"] == "GET" })
        #expect(entries[1].metadata["http.response.status_code"] == "503")
        #expect(entries[1].metadata["http.request.attempt"] == "1")
        #expect(entries[2].metadata["http.response.status_code"] == "200")
        #expect(entries[2].metadata["error.type"] == nil)
        #expect(!"\(entries)".contains("s3cret"))
    }

    @Test("A failure is logged with its error, and only if the level is enabled")
    func failure() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("x").faulted(.closeBeforeHead) }
        let (all, few) = (Self.handler(.debug), Self.handler(.info))
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.eventMonitors = [all, few].map { handler in
            Observability(logger: Logger(label: "test") { _ in handler })
        }
        let error = await manager.response(for: .post("x", serializer: .string)).error
        #expect(error?.code == .connectionLost)
        let entry = try #require(all.entries.count == 1 ? all.entries.first : nil)
        #expect(entry.level == .debug)
        #expect(entry.metadata["error.type"] == "connectionLost")
        #expect(entry.metadata["error.message"] == error.map { "\($0.message)" })
        #expect(few.entries.isEmpty)
    }

    @Test("A metadata provider finds the span of the call")
    func provider() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        var handler = Self.handler(.debug)
        handler.metadataProvider = Logger.MetadataProvider {
            ServiceContext.current?.inMemorySpanContext.map { ["span": "\($0.spanID)"] } ?? [:]
        }
        let tracer = TraceContextTracer()
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        let made = handler
        manager.eventMonitors = [Observability(tracer: tracer, logger: Logger(label: "test") { _ in made })]
        _ = try await manager.send(.get("x", serializer: .string))
        let call = try #require(tracer.memory.finishedSpans.last)
        #expect(made.entries.map { $0.metadata["span"] } == ["\(call.spanID)"])
    }

    private static func handler(_ level: Logger.Level) -> InMemoryLogHandler {
        var handler = InMemoryLogHandler()
        handler.logLevel = level
        return handler
    }
}
