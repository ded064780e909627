/// A transport that responds to requests in the process, without a server.
///
/// ```swift
/// let transport = StubTransport()
/// transport.on("GET", "/users/:id") { request, parameters in
///     .json(#"{"id":\#(parameters["id"] ?? "0")}"#)
/// }
/// transport.on("POST", "/users") { _, _ in
///     .status(201, headers: ["Location": "/users/2"])
/// }
/// ```
///
/// It is a request interceptor. The session treats its responses like those of a server, with redirects, cookies and
/// retries; for faults of a connection, use a ``LoopbackServer``. It can be used on any thread, and routes can be added
/// at any time.
public final class StubTransport: RespondingInterceptor {
    /// Returns the response to a request, given the variable parts of its path.
    public typealias Responder =
        @Sendable (_ request: URLRequest, _ parameters: [String: String]) async throws -> InterceptedResponse

    /// The treatment of a request for which there is no route.
    public enum UnmatchedRequests: Sendable {
        /// The request fails with a ``StubTransportError``.
        case fail
        /// The request is passed on to the next interceptor, or sent.
        case pass
    }

    /// A request that the transport has received.
    public struct RecordedRequest: Sendable, CustomStringConvertible {
        /// The request after all interceptors, without the body of an upload task and without the fields that the
        /// session adds when it sends a request, such as cookies and those of its configuration.
        public let request: URLRequest
        /// The attempt, with its number.
        public let attempt: RequestAttempt
        /// The path of the route that responded, as it was given; nil if there was none.
        public let route: String?

        /// The method and the URL, such as `GET https://example.com/users/1`.
        ///
        /// The URL has no user, password and secret parameters.
        public var description: String { "\(request.httpMethod ?? "GET") \(request.url?.presentableText ?? "")" }
    }

    private struct Route: Sendable {
        let method: String?
        let host: String?
        let path: RoutePath
        let delay: Duration
        let responder: Responder
        var usesLeft: Int

        /// Returns the variable parts of a request's path; nil if the route does not match the request.
        func match(_ request: URLRequest) -> [String: String]? {
            guard method == nil || method == request.httpMethod ?? "GET",
                host == nil || host == request.url?.host(percentEncoded: false)?.lowercased()
            else { return nil }
            return path.match(RequestTarget.segments(of: request.url?.path(percentEncoded: true) ?? ""))
        }
    }

    private struct State {
        var routes: [Route] = []
        var requests: [RecordedRequest] = []
    }

    private let unmatchedRequests: UnmatchedRequests
    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// Creates a transport without routes.
    ///
    /// - Parameters:
    ///   - unmatchedRequests: The treatment of a request without a route; by default it fails.
    ///   - clock: The clock for delays; the system's by default.
    public init(unmatchedRequests: UnmatchedRequests = .fail, clock: any Clock<Duration> = ContinuousClock()) {
        self.unmatchedRequests = unmatchedRequests
        self.clock = clock
    }

    /// Adds a route; the first route that matches a request responds.
    ///
    /// - Parameters:
    ///   - method: The method that the route matches; nil for any.
    ///   - path: The path, in which `:name` matches one segment, and a final `*` matches the rest. Segments are
    ///     compared after percent-decoding. Queries are ignored, also one in the path itself. It may be an absolute
    ///     URL, whose scheme and port are ignored.
    ///   - host: The host that the route matches; nil for the host of an absolute URL, or for any host.
    ///   - times: The number of requests for which the route can be used, after which it matches none.
    ///   - delay: The time before the response, on the transport's clock.
    ///   - responder: Returns the response. An error that it throws is the error of the attempt.
    public func on(
        _ method: String?,
        _ path: String,
        host: String? = nil,
        times: Int = .max,
        delay: Duration = .zero,
        respond responder: @escaping Responder
    ) {
        let path = RoutePath(path)
        let route = Route(
            method: method,
            host: (host ?? path.host)?.lowercased(),
            path: path,
            delay: delay,
            responder: responder,
            usesLeft: times
        )
        state.withLock { $0.routes.append(route) }
    }

    /// The requests since the creation or the last ``reset()``, in the order in which they arrived.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// Removes all recorded requests; the routes stay.
    public func reset() { state.withLock { $0.requests = [] } }

    /// Responds to a request with the first route that matches it.
    public func respond(to request: URLRequest, for attempt: RequestAttempt) async throws -> InterceptedResponse? {
        let found = state.withLock { state in
            let found = Self.find(request, in: &state.routes)
            let record = RecordedRequest(request: request, attempt: attempt, route: found?.route.path.text)
            state.requests.append(record)
            return found
        }
        guard let (route, parameters) = found else {
            if unmatchedRequests == .pass { return nil }
            let (method, url) = (request.httpMethod ?? "GET", request.url?.presentableText ?? "")
            let isUsedUp = state.withLock { $0.routes.contains { $0.match(request) != nil } }
            throw isUsedUp
                ? StubTransportError.usedUp(method: method, url: url)
                : StubTransportError.noRoute(method: method, url: url)
        }
        if route.delay > .zero { try await clock.sleep(for: route.delay) }
        return try await route.responder(request, parameters)
    }

    private static func find(
        _ request: URLRequest,
        in routes: inout [Route]
    ) -> (route: Route, parameters: [String: String])? {
        for index in routes.indices where routes[index].usesLeft > 0 {
            guard let parameters = routes[index].match(request) else { continue }
            if routes[index].usesLeft < .max { routes[index].usesLeft -= 1 }
            return (routes[index], parameters)
        }
        return nil
    }
}

/// An error of a ``StubTransport``.
public enum StubTransportError: Error, Hashable, Sendable, DescribedError {
    /// There is no route for a request; the URL has no user, password and secret parameters.
    case noRoute(method: String, url: String)
    /// The routes for a request have been used the maximum number of times.
    case usedUp(method: String, url: String)

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .noRoute(let method, let url): "The stub transport has no route for \(method) \(url)."
        case .usedUp(let method, let url):
            "The stub transport's routes for \(method) \(url) have been used as often as they may be."
        }
    }
}
