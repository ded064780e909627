/// A route: a method and a path, and the handler for their requests.
///
/// ```swift
/// let server = try LoopbackServer(routes: [
///     LoopbackRoute("GET", "/users/:id") {
///         .text("user \($0.parameters["id"] ?? "")")
///     },
///     LoopbackRoute("PUT", "/files/*") { _ in .status(201) },
/// ])
/// ```
public struct LoopbackRoute: Sendable {
    /// The method that the route matches; nil for any.
    ///
    /// A route for `GET` also matches `HEAD`.
    public let method: String?

    /// The path, in which `:name` matches one segment, and a final `*` matches the rest.
    ///
    /// It is compared with the percent-decoded segments of a request. An encoded slash does not separate segments, and
    /// queries are ignored, also one in the path itself.
    public var path: String { pattern.text }

    /// The way in which the request body is read.
    public let bodyReading: LoopbackBodyReading

    /// Returns the response to a matching request.
    public let handler: LoopbackServer.Handler

    private let pattern: RoutePath

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - method: The method that the route matches; nil for any.
    ///   - path: The path, in which `:name` matches one segment, and a final `*` matches the rest.
    ///   - bodyReading: The way in which the request body is read.
    ///   - handler: Returns the response to a matching request, on the connection's thread.
    public init(
        _ method: String?,
        _ path: String,
        bodyReading: LoopbackBodyReading = .whole,
        handler: @escaping LoopbackServer.Handler
    ) {
        self.method = method
        self.bodyReading = bodyReading
        self.handler = handler
        pattern = RoutePath(path)
    }

    /// Returns the matched variable parts of the path, with the rest as `*`; nil if the request does not match.
    func match(_ request: LoopbackRequest) -> [String: String]? {
        if let method, method != request.method, !(method == "GET" && request.method == "HEAD") { return nil }
        return pattern.match(request.segments)
    }
}

extension LoopbackServer {
    /// Creates a server with routes and starts it.
    ///
    /// - Parameters:
    ///   - host: The numeric loopback address, `127.0.0.1` or `::1`.
    ///   - configuration: The settings; its body reading is used if no route matches.
    ///   - routes: The routes; the first one that matches is used.
    ///   - fallback: Returns the response if no route matches; nil to use the built-in routes.
    /// - Throws: ``LoopbackServerError`` if the host is not an address, or the system fails to create a socket or a
    ///   thread.
    public convenience init(
        host: String = "127.0.0.1",
        configuration: Configuration = Configuration(),
        routes: [LoopbackRoute],
        fallback: Handler? = nil
    ) throws {
        var configuration = configuration
        let otherReading = configuration.bodyReading ?? (fallback == nil ? Self.standardBodyReading : nil)
        configuration.bodyReading = { request in
            for route in routes where route.match(request) != nil { return route.bodyReading }
            return otherReading?(request) ?? .whole
        }
        let handler = Self.routes(routes, fallback: fallback ?? Self.standardRoutes)
        try self.init(host: host, configuration: configuration, handler: handler)
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
