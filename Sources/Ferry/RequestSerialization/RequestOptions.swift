import FerrySession

/// What all request serializers have in common: default headers, request properties, and where parameters go.
///
/// Request properties are `nil` until set, and only those that were set go onto a request: the others leave the
/// session's configuration in force. AFNetworking: the properties of `AFHTTPRequestSerializer`.
public struct RequestOptions: Sendable {
    /// Headers for requests that do not carry fields of these names, by default ``HTTPHeaders/default``.
    public var headers: HTTPHeaders = .default

    /// The longest time without any byte moving, in seconds.
    public var timeoutInterval: TimeInterval?
    /// How the cache is used.
    public var cachePolicy: URLRequest.CachePolicy?
    /// Whether cellular networks may be used; without effect on Linux.
    public var allowsCellularAccess: Bool?
    /// Whether stored cookies are sent and received ones stored.
    public var httpShouldHandleCookies: Bool?
    /// Whether HTTP/1.1 requests may be pipelined; Foundation has deprecated it, and Ferry's engine never does it.
    public var httpShouldUsePipelining: Bool?
    /// What kind of traffic the request is; without effect on Linux.
    public var networkServiceType: URLRequest.NetworkServiceType?

    /// How parameters become a query or a form body.
    public var queryEncoding = QueryEncoding()
    /// The encoding of form bodies and of texts in multipart parameters, by default UTF-8; URLs always are.
    public var stringEncoding = String.Encoding.utf8
    /// The methods whose parameters go into the URL, in upper case; by default `GET`, `HEAD` and `DELETE`.
    public var methodsEncodingParametersInURI: Set<HTTPMethod> = [.get, .head, .delete]
    /// Makes the query or form body in place of ``queryEncoding``; what it throws reaches the caller untouched.
    public var querySerializer: (@Sendable (_ request: URLRequest, _ parameters: Parameters) throws -> String)?

    /// Creates options with their defaults.
    public init() {}

    /// Creates options with their defaults, then changes them.
    public init(configure: (inout RequestOptions) -> Void) {
        configure(&self)
    }
}
