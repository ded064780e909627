import Foundation

extension LoopbackServer {
    /// Creates a server that answers by routes and starts it.
    ///
    /// - Parameters:
    ///   - host: The numeric loopback address, `127.0.0.1` or `::1`.
    ///   - configuration: What is kept; its body reading counts where no route matches.
    ///   - routes: Tried in order.
    ///   - fallback: Answers what no route matches; the built-in routes unless another is given.
    /// - Throws: ``LoopbackServerError`` if the host is not an address or the system refuses a socket or a thread.
    public convenience init(
        host: String = "127.0.0.1",
        configuration: Configuration = Configuration(),
        routes: [LoopbackRoute],
        fallback: @escaping Handler = LoopbackServer.standardRoutes
    ) throws {
        var configuration = configuration
        let otherReading = configuration.bodyReading ?? Self.standardBodyReading
        configuration.bodyReading = { request in
            for route in routes where route.match(request) != nil { return route.bodyReading }
            return otherReading(request)
        }
        try self.init(host: host, configuration: configuration, handler: Self.routes(routes, fallback: fallback))
    }

    /// A handler that answers by the first route that matches, or else by `fallback`.
    public static func routes(
        _ routes: [LoopbackRoute],
        fallback: @escaping Handler = LoopbackServer.standardRoutes
    ) -> Handler {
        { request in
            for route in routes {
                guard let parameters = route.match(request) else { continue }
                var request = request
                request.parameters = parameters
                return route.handler(request)
            }
            return fallback(request)
        }
    }
}
