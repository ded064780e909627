/// The options common to all request serializers: default header fields, request properties, and where parameters go.
///
/// Request properties are `nil` until set. Only those that are set are applied to a request; for the others, the
/// session's configuration applies. AFNetworking: the properties of `AFHTTPRequestSerializer`.
public struct RequestOptions: Sendable {
    /// The header fields to add to requests that do not already have them; ``HTTPHeaders/default`` by default.
    public var headers: HTTPHeaders = .default

    /// The request's timeout: the longest time without any data transferred, in seconds.
    public var timeoutInterval: TimeInterval?
    /// The request's cache policy.
    public var cachePolicy: URLRequest.CachePolicy?
    /// A Boolean value that indicates whether cellular networks may be used; it has no effect on Linux.
    public var allowsCellularAccess: Bool?
    /// A Boolean value that indicates whether stored cookies are sent and received cookies are stored.
    public var httpShouldHandleCookies: Bool?
    /// A Boolean value that indicates whether HTTP/1.1 requests may be pipelined.
    ///
    /// Foundation has deprecated the property, and Ferry's engine never pipelines requests.
    public var httpShouldUsePipelining: Bool?
    /// The kind of traffic the request belongs to; it has no effect on Linux.
    public var networkServiceType: URLRequest.NetworkServiceType?

    /// The encoding of parameters as a query or a form body.
    public var queryEncoding = QueryEncoding()
    /// The string encoding of form bodies and of the values in multipart parameters; UTF-8 by default.
    ///
    /// Queries in URLs are always UTF-8.
    public var stringEncoding = String.Encoding.utf8
    /// The methods whose parameters go into the URL, in upper case; `GET`, `HEAD` and `DELETE` by default.
    public var methodsEncodingParametersInURI: Set<HTTPMethod> = [.get, .head, .delete]
    /// A closure that encodes the query or form body in place of ``queryEncoding``.
    ///
    /// The serializer throws the closure's errors; a manager's call has them as its ``NetworkError/underlyingError``.
    public var querySerializer: (@Sendable (_ request: URLRequest, _ parameters: Parameters) throws -> String)?

    /// Creates the default options, which a closure may change.
    public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
}

/// All options are encoded except ``querySerializer``, a closure. Options missing from an archive get their defaults.
extension RequestOptions: Codable {
    private enum Key: CodingKey {
        case headers, timeoutInterval, cachePolicy, allowsCellularAccess, httpShouldHandleCookies
        case httpShouldUsePipelining, networkServiceType, queryEncoding, stringEncoding, methodsEncodingParametersInURI
        case waitsForever
    }

    /// Decodes the options, without a ``querySerializer``.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: Key.self)
        headers = try container.decodeIfPresent(HTTPHeaders.self, forKey: .headers) ?? headers
        let waitsForever = try container.decodeIfPresent(Bool.self, forKey: .waitsForever) ?? false
        timeoutInterval =
            try waitsForever ? .infinity : container.decodeIfPresent(TimeInterval.self, forKey: .timeoutInterval)
        cachePolicy = try container.decodeRawIfPresent(URLRequest.CachePolicy.self, forKey: .cachePolicy)
        allowsCellularAccess = try container.decodeIfPresent(Bool.self, forKey: .allowsCellularAccess)
        httpShouldHandleCookies = try container.decodeIfPresent(Bool.self, forKey: .httpShouldHandleCookies)
        httpShouldUsePipelining = try container.decodeIfPresent(Bool.self, forKey: .httpShouldUsePipelining)
        networkServiceType =
            try container.decodeRawIfPresent(URLRequest.NetworkServiceType.self, forKey: .networkServiceType)
        queryEncoding = try container.decodeIfPresent(QueryEncoding.self, forKey: .queryEncoding) ?? queryEncoding
        stringEncoding =
            try container.decodeRawIfPresent(String.Encoding.self, forKey: .stringEncoding) ?? stringEncoding
        methodsEncodingParametersInURI =
            try container.decodeIfPresent(Set<HTTPMethod>.self, forKey: .methodsEncodingParametersInURI)
            ?? methodsEncodingParametersInURI
    }

    /// Encodes all options except the ``querySerializer``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(headers, forKey: .headers)
        if let timeoutInterval, !timeoutInterval.isFinite {
            // JSON has no infinity.
            try container.encode(true, forKey: .waitsForever)
        } else {
            try container.encodeIfPresent(timeoutInterval, forKey: .timeoutInterval)
        }
        try container.encodeRawIfPresent(cachePolicy, forKey: .cachePolicy)
        try container.encodeIfPresent(allowsCellularAccess, forKey: .allowsCellularAccess)
        try container.encodeIfPresent(httpShouldHandleCookies, forKey: .httpShouldHandleCookies)
        try container.encodeIfPresent(httpShouldUsePipelining, forKey: .httpShouldUsePipelining)
        try container.encodeRawIfPresent(networkServiceType, forKey: .networkServiceType)
        try container.encode(queryEncoding, forKey: .queryEncoding)
        try container.encodeRawIfPresent(stringEncoding, forKey: .stringEncoding)
        let methods = methodsEncodingParametersInURI.sorted { $0.rawValue < $1.rawValue }
        try container.encode(methods, forKey: .methodsEncodingParametersInURI)
    }
}
