import Ferry
import FerryObservability
import Hummingbird
import Logging

/// A server that asks another service for its responses, with a deadline.
///
/// The calls are part of the request's trace, and are cancelled when the client closes its connection.
struct Gateway {
    /// The service's data about a city.
    struct Weather: ResponseCodable, Equatable {
        var city: String
        var degrees: Double
    }

    private let service: HTTPSessionManager
    private let logger: Logger

    /// Creates a gateway.
    ///
    /// - Parameters:
    ///   - base: The URL of the service.
    ///   - deadline: The time, in seconds, for a call of the service with all of its attempts.
    ///   - logger: The logger of the server and of its calls.
    init(service base: URL, deadline: TimeInterval, logger: Logger) {
        self.logger = logger
        service = HTTPSessionManager(baseURL: base)
        service.deadline = deadline
        service.retryPolicy = .standard
        service.notificationQueue = nil
        service.eventMonitors = [Observability(logger: logger)]
    }

    /// Returns the server; `onServerRunning` receives its port.
    func application(
        _ address: BindAddress,
        onServerRunning: @escaping @Sendable (Int?) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router()
        // Begins the span of each request, with the context that the client has sent.
        router.add(middleware: TracingMiddleware())
        router.get("weather/:city") { request, context in
            // Hummingbird leaves parameters of the path percent-encoded.
            guard let city = try context.parameters.require("city").removingPercentEncoding else {
                throw HTTPError(.badRequest, message: "The name of the city is not percent-encoded UTF-8")
            }
            // Cancels the call if the client closes its connection; the connection is not used for another request.
            return try await request.body.consumeWithCancellationOnInboundClose { _ in
                try await weather(in: city)
            }
        }
        return Application(
            router: router,
            configuration: ApplicationConfiguration(address: address),
            onServerRunning: { onServerRunning($0.localAddress?.port) },
            logger: logger
        )
    }

    private func weather(in city: String) async throws -> Weather {
        do {
            return try await service.get("weather", parameters: ["city": city], as: Weather.self)
        } catch {
            throw Self.failure(dueTo: error)
        }
    }

    /// Returns the error response for a failed call.
    private static func failure(dueTo error: NetworkError) -> any Error {
        if error.isCancelled { return CancellationError() }
        if error.isTimeout {
            return HTTPError(.gatewayTimeout, message: "The service has not answered in time")
        }
        if error.statusCode == 404 {
            return HTTPError(.notFound, message: "The service does not know this city")
        }
        return HTTPError(.badGateway, message: "The service cannot be used: \(error.code)")
    }
}
