/// The JSON with which some routes describe the request they received.
public struct LoopbackEcho: Codable, Sendable, Equatable {
    /// The method as written.
    public var method: String

    /// The request target as written.
    public var target: String

    /// The percent-decoded path.
    public var path: String

    /// The query's values by name; of several items with the same name, the last one.
    public var query: [String: String]

    /// The header fields in order, each as a name and a value.
    public var headers: [[String]]

    /// The body, if it is UTF-8, was kept completely and has at most 64 kibibytes.
    public var body: String?

    /// The number of received body bytes.
    public var bodyLength: Int

    /// The SHA-256 of the body in hexadecimal.
    public var bodySHA256: String

    /// A Boolean value that indicates whether the body was sent in chunks.
    public var isChunked: Bool

    /// The trailer fields in order, each as a name and a value.
    public var trailers: [[String]]

    /// The number of the connection.
    public var connectionID: Int

    /// Creates a description of a request.
    public init(_ request: LoopbackRequest) {
        method = request.method
        target = request.target
        path = request.path
        query = request.query
        headers = request.headers.map { [$0.name, $0.value] }
        body = request.bodyLength <= 65536 && request.body.count == request.bodyLength ? request.bodyText : nil
        bodyLength = request.bodyLength
        bodySHA256 = request.bodySHA256
        isChunked = request.isChunked
        trailers = request.trailers.map { [$0.name, $0.value] }
        connectionID = request.connectionID
    }

    /// Returns the first value of a header field, ignoring the case of its name.
    public func header(_ name: String) -> String? {
        headers.first { $0.count == 2 && $0[0].isEqualIgnoringCase(name) }?[1]
    }
}
