import Ferry
import FerryObservability
import FerryTesting
import Logging
import Testing
import Tracing

/// What the articles about integrations and telemetry show, compared by the root package's DocumentationTests.
@Suite("Observability in the documentation", .timeLimit(.minutes(5)))
struct ObservabilitySnippets {
    struct User: Codable {
        var name: String
    }

    @Test("The example calls a service within a span")
    func calls() async throws {
        let server = try LoopbackServer { _ in .json(#"{"name":"Ada"}"#) }
        let tracer = TraceContextTracer()
        let user = try await withTracer(tracer) {
            try await Self.user(base: server.url)
        }
        #expect(user.name == "Ada")
        let spans = tracer.memory.finishedSpans
        #expect(spans.map(\.operationName) == ["GET", "HTTP call", "show user"])
        #expect(Set(spans.map(\.traceID)).count == 1)
    }

    private static func user(base: URL) async throws -> User {
        let manager = HTTPSessionManager(baseURL: base)
        manager.eventMonitors = [Observability(logger: Logger(label: "users"))]
        let user = try await withSpan("show user") { _ in
            try await manager.get("users/1", as: User.self)
        }
        return user
    }
}
