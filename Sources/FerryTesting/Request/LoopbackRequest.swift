/// A request received by a ``LoopbackServer``.
public struct LoopbackRequest: Sendable {
    /// The method as written, such as `GET`.
    public var method: String

    /// The request target as written, such as `/search?q=%20`.
    public var target: String

    /// The percent-decoded path, such as `/search`; `*` for `OPTIONS *`.
    public var path: String

    /// The protocol version as written, such as `HTTP/1.1`.
    public var version: String

    /// The header fields in the order in which they were received.
    public var headers: LoopbackHeaders

    /// The body without chunk framing, of which at most ``LoopbackServer/Configuration/keptBodySize`` are kept.
    public var body: Data

    /// The number of received body bytes, whether kept or not, without chunk framing.
    public var bodyLength: Int

    /// The SHA-256 of all received body bytes, in hexadecimal; empty if the server does not hash.
    public var bodySHA256: String

    /// A Boolean value that indicates whether the body was sent with `Transfer-Encoding: chunked`.
    public var isChunked: Bool

    /// The trailer fields of a chunked body.
    public var trailers: LoopbackHeaders

    /// A Boolean value that indicates whether the whole body was read.
    ///
    /// It is false if the client disconnected first, or the response was sent before the whole body was read.
    public var isComplete: Bool

    /// The number of the request's connection, starting at 1, in the order of acceptance.
    public var connectionID: Int

    /// The index of the request on its connection: 0 for the first, more on a reused connection.
    public var connectionRequestIndex: Int

    /// The client's port.
    public var remotePort: Int

    /// The time at which the head was complete.
    public var receivedAt: ContinuousClock.Instant

    /// The percent-decoded values of the variable parts of a ``LoopbackRoute``'s path.
    public var parameters: [String: String]

    /// Creates a request, for calling a handler without a server.
    public init(
        method: String = "GET",
        target: String = "/",
        version: String = "HTTP/1.1",
        headers: LoopbackHeaders = [:],
        body: Data = Data()
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.body = body
        path = RequestTarget.path(of: target)
        bodyLength = body.count
        bodySHA256 = body.isEmpty ? BodyCollector.emptyDigest : SHA256Hash.hash(body).hexadecimal
        isChunked = false
        trailers = [:]
        isComplete = true
        connectionID = 0
        connectionRequestIndex = 0
        remotePort = 0
        receivedAt = .now
        parameters = [:]
    }

    /// Returns the first value of a header field, ignoring the case of its name.
    public func header(_ name: String) -> String? { headers[name] }

    /// The percent-decoded items of the query in order; a plus sign is not decoded.
    public var queryItems: [URLQueryItem] { RequestTarget.queryItems(of: target) }

    /// The query's values by name; of several items with the same name, the last one.
    public var query: [String: String] { Dictionary(queryItems.map { ($0.name, $0.value ?? "") }) { _, last in last } }

    /// The body as text, or nil if it is not UTF-8.
    public var bodyText: String? { String(validating: body, as: UTF8.self) }

    /// The percent-decoded segments of the path, without empty ones.
    var segments: [String] {
        // A handler may have replaced the path, for example in order to pass the request on.
        guard path == RequestTarget.path(of: target) else { return path.split(separator: "/").map(String.init) }
        return RequestTarget.segments(of: target)
    }
}
