import Foundation

/// A request as a ``LoopbackServer`` received it.
public struct LoopbackRequest: Sendable {
    /// The method as written, such as `GET`.
    public var method: String

    /// The request target as written, such as `/search?q=%20`.
    public var target: String

    /// The percent-decoded path, such as `/search`; `*` for `OPTIONS *`.
    public var path: String

    /// The protocol version as written, such as `HTTP/1.1`.
    public var version: String

    /// The header fields in the order in which they came.
    public var headers: LoopbackHeaders

    /// The body, decoded from chunks: at most the first ``LoopbackServer/Configuration/keptBodyBytes`` of it.
    public var body: Data

    /// How many body bytes came, kept or not, without chunk framing.
    public var bodyLength: Int

    /// The SHA-256 of all body bytes that came, in hexadecimal; empty if the server does not hash.
    public var bodySHA256: String

    /// Whether the body came with `Transfer-Encoding: chunked`.
    public var isChunked: Bool

    /// The fields that followed a chunked body.
    public var trailers: LoopbackHeaders

    /// Whether the whole body was read; false if the client left within it, or the answer did not wait for it.
    public var isComplete: Bool

    /// The number of the connection the request came on, from 1 in the order of acceptance.
    public var connectionID: Int

    /// The place of the request on its connection: 0 for the first, more on a reused one.
    public var connectionRequestIndex: Int

    /// The client's port.
    public var remotePort: Int

    /// When the head had arrived.
    public var receivedAt: ContinuousClock.Instant

    /// What the variable parts of a ``LoopbackRoute``'s path matched.
    public var parameters: [String: String]

    /// Creates a request, to call a handler without a server.
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
        bodySHA256 = body.isEmpty ? BodyCollector.emptyDigest : SHA256.hexDigest(of: body)
        isChunked = false
        trailers = [:]
        isComplete = true
        connectionID = 0
        connectionRequestIndex = 0
        remotePort = 0
        receivedAt = .now
        parameters = [:]
    }

    /// The first value of a header field, found whatever the case of its name.
    public func header(_ name: String) -> String? {
        headers[name]
    }

    /// The percent-decoded items of the query in order; a plus sign stays one.
    public var queryItems: [URLQueryItem] {
        RequestTarget.queryItems(of: target)
    }

    /// The query's items by name; of several with one name, the last.
    public var query: [String: String] {
        Dictionary(queryItems.map { ($0.name, $0.value ?? "") }) { _, last in last }
    }

    /// The body as text, if it is UTF-8.
    public var bodyText: String? {
        String(validating: body, as: UTF8.self)
    }
}
