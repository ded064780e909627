import Ferry
import FerryObservability
import FerryTesting
import Hummingbird
import InMemoryTracing
import Logging
import Testing
import Tracing

@testable import Gateway

@Suite("Gateway", .timeLimit(.minutes(5)))
struct GatewayTests {
    private let tracer = InMemoryTracer()

    /// Runs a gateway on a free port while a closure runs, and passes its URL.
    private func run(
        service: LoopbackServer,
        deadline: TimeInterval = 60,
        _ body: (URL) async throws -> Void
    ) async throws {
        let logger = Logger(label: "gateway") { _ in SwiftLogNoOpLogHandler() }
        let gateway = Gateway(service: service.url, deadline: deadline, logger: logger)
        let (ports, continuation) = AsyncStream<Int?>.makeStream()
        let application = gateway.application(.hostname("127.0.0.1", port: 0)) { continuation.yield($0) }
        // The tasks of the server inherit the tracer.
        let server = withTracer(tracer) {
            Task {
                defer { continuation.finish() }
                try await application.runService(gracefulShutdownSignals: [])
            }
        }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next() ?? nil)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        let result: Result<Void, any Error>
        do { result = .success(try await body(url)) } catch { result = .failure(error) }
        server.cancel()
        _ = await server.result
        try result.get()
    }

    private func client(_ url: URL) -> HTTPSessionManager {
        let client = HTTPSessionManager(baseURL: url, configuration: .ephemeral)
        client.notificationQueue = nil
        return client
    }

    @Test("A response comes from the service")
    func responds() async throws {
        let service = try LoopbackServer { request in
            .json(encoding: Gateway.Weather(city: request.query["city"] ?? "", degrees: 21.5))
        }
        try await run(service: service) { url in
            let weather = try await client(url).get("weather/K%C3%B6ln%2F..%2Fx", as: Gateway.Weather.self)
            #expect(weather == Gateway.Weather(city: "Köln/../x", degrees: 21.5))
        }
        #expect(service.requests.map(\.path) == ["/weather"])
    }

    @Test("A name that is not valid is refused without a call")
    func invalidName() async throws {
        let service = try LoopbackServer { _ in .json("{}") }
        try await run(service: service) { url in
            let response = await client(url).response(for: .get("weather/%FF", serializer: .data))
            #expect(response.statusCode == 400)
        }
        #expect(service.requestCount == 0)
    }

    @Test(
        "A failure of the service has its status",
        arguments: [(404, 404), (403, 502), (200, 502)]
    )
    func failures(_ status: Int, _ expected: Int) async throws {
        let service = try LoopbackServer { _ in .json("[]", statusCode: status) }
        try await run(service: service) { url in
            let response = await client(url).response(for: .get("weather/Rome", serializer: .data))
            #expect(response.statusCode == expected)
        }
    }

    @Test("A service that does not answer in time is reported as such")
    func deadline() async throws {
        let service = try LoopbackServer { _ in LoopbackResponse.text("x").faulted(.stallBeforeHead) }
        try await run(service: service, deadline: 0.2) { url in
            let response = await client(url).response(for: .get("weather/Rome", serializer: .data))
            #expect(response.statusCode == 504)
        }
        #expect(tracer.finishedSpans.filter { $0.kind == .client }.map { "\($0.errorType)" } == ["timedOut"])
    }

    @Test("The call of the service is cancelled when the client goes away")
    func cancellation() async throws {
        let service = try LoopbackServer { _ in LoopbackResponse.text("x").faulted(.stallBeforeHead) }
        try await run(service: service, deadline: 600) { url in
            let client = client(url)
            let call = Task { await client.response(for: .get("weather/Rome", serializer: .data)).error?.code }
            try await service.waitForRequests(1)
            #expect(service.openConnectionCount == 1)
            call.cancel()
            #expect(await call.value == .cancelled)
            try await service.waitForOpenConnections(atMost: 0)
        }
        #expect(tracer.finishedSpans.filter { $0.kind == .client }.map { "\($0.errorType)" } == ["cancelled"])
    }

    @Test("The call of the service belongs to the client's trace, through both servers")
    func tracing() async throws {
        let service = try LoopbackServer { _ in .json(encoding: Gateway.Weather(city: "Rome", degrees: 30)) }
        try await run(service: service) { url in
            let client = client(url)
            client.eventMonitors = [Observability(tracer: tracer)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await tracer.withSpan("page \(number)") { _ in
                            _ = try await client.get("weather/Rome", as: Gateway.Weather.self)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        // The span of a server's request ends once its response has been written.
        let spans = tracer.finishedSpans
        let byID = Dictionary(spans.map { ($0.spanID, $0) }) { first, _ in first }
        #expect(service.requestCount == 8)
        var traces: Set<String> = []
        for request in service.requests {
            let id = try #require(request.header(InMemoryTracer.spanIDKey))
            var span = try #require(byID[id])
            var names: [String] = [span.operationName]
            while let parent = span.parentSpanID.flatMap({ byID[$0] }) {
                names.append(parent.operationName)
                span = parent
            }
            #expect(names.dropLast() == ["GET", "HTTP call", "/weather/{city}", "GET", "HTTP call"])
            #expect(names.last?.hasPrefix("page ") == true)
            #expect(request.header(InMemoryTracer.traceIDKey) == span.traceID)
            traces.insert(span.traceID)
        }
        #expect(traces.count == 8)
    }
}

extension FinishedInMemorySpan {
    /// The attribute `error.type` as text.
    fileprivate var errorType: String {
        if case .string(let text) = attributes.get("error.type") { text } else { "none" }
    }
}
