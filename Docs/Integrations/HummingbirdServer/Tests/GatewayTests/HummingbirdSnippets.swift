import Ferry
import FerryTesting
import Hummingbird
import Logging
import Testing

/// What the article about integrations shows, compared by the root package's DocumentationTests.
@Suite("Hummingbird in the documentation", .timeLimit(.minutes(5)))
struct HummingbirdSnippets {
    struct Weather: ResponseCodable {
        var degrees: Double
    }

    @Test("The example's route calls a service")
    func calls() async throws {
        let service = try LoopbackServer { _ in .json(#"{"degrees":30}"#) }
        let router = Self.router(HTTPSessionManager(baseURL: service.url))
        let (ports, continuation) = AsyncStream<Int?>.makeStream()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { continuation.yield($0.localAddress?.port) },
            logger: Logger(label: "server") { _ in SwiftLogNoOpLogHandler() }
        )
        let server = Task { try await application.runService(gracefulShutdownSignals: []) }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next() ?? nil)
        let client = HTTPSessionManager(baseURL: URL(string: "http://127.0.0.1:\(port)/"))
        let response = await client.response(for: .get("weather", serializer: .string))
        #expect(response.value == #"{"degrees":30.0}"# || response.value == #"{"degrees":30}"#)
    }

    private static func router(_ service: HTTPSessionManager) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("weather") { request, _ in
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                try await service.get("weather", as: Weather.self)
            }
        }
        return router
    }
}
