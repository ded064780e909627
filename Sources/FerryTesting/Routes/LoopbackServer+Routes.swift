import Foundation

extension LoopbackServer {
    /// Creates a server with routes and starts it.
    ///
    /// - Parameters:
    ///   - host: The numeric loopback address, `127.0.0.1` or `::1`.
    ///   - configuration: The settings; its body reading is used if no route matches.
    ///   - routes: The routes; the first one that matches is used.
    ///   - fallback: Returns the response if no route matches; by default that of the built-in routes.
    /// - Throws: ``LoopbackServerError`` if the host is not an address, or the system fails to create a socket or a
    ///   thread.
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

    /// Returns a handler that uses the first matching route, and `fallback` if there is none.
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
