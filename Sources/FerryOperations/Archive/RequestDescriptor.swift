/// A codable description of a request.
///
/// ```swift
/// let saved = try JSONEncoder().encode(RequestDescriptor(request))
/// let request = try JSONDecoder().decode(RequestDescriptor.self, from: saved)
///     .urlRequest
/// ```
///
/// It contains the header fields, which may include credentials, so it is as confidential as they are.
public struct RequestDescriptor: Codable, Hashable, Sendable {
    /// The URL, with the scheme `http` or `https`.
    public let url: URL

    /// The method.
    public let method: HTTPMethod

    /// The header fields.
    public let headers: [String: String]

    /// The body; nil for none.
    public let body: Data?

    /// The number of seconds without progress after which the request fails; nil for never.
    public let timeoutInterval: TimeInterval?

    /// The cache policy.
    public var cachePolicy: URLRequest.CachePolicy {
        URLRequest.CachePolicy(rawValue: policy) ?? .useProtocolCachePolicy
    }

    /// The raw value of the cache policy, which Foundation does not make codable.
    private let policy: UInt

    /// A Boolean value that indicates whether cookies are sent and stored.
    public let httpShouldHandleCookies: Bool

    /// A Boolean value that indicates whether a cellular network may be used.
    public let allowsCellularAccess: Bool

    /// Creates a description of a request.
    ///
    /// - Parameter request: The request.
    /// - Throws: `NetworkError` with `NetworkError.Code.encodingFailed` if the request cannot be described: its
    ///   body is a stream, its URL is missing or is not an `http` or `https` URL with a host, or its method, header
    ///   fields or timeout are invalid.
    public init(_ request: URLRequest) throws(NetworkError) {
        func failure(_ message: String) -> NetworkError {
            NetworkError(.encodingFailed, message: message, failingURL: request.url)
        }
        guard request.httpBodyStream == nil else {
            throw failure("A request whose body is a stream cannot be archived")
        }
        guard let url = request.url else { throw failure("A request without a URL cannot be archived") }
        self.url = url.absoluteURL
        method = HTTPMethod(request.httpMethod ?? "GET")
        headers = request.allHTTPHeaderFields ?? [:]
        body = request.httpBody
        timeoutInterval = request.timeoutInterval.isFinite ? request.timeoutInterval : nil
        policy = request.cachePolicy.rawValue
        httpShouldHandleCookies = request.httpShouldHandleCookies
        allowsCellularAccess = request.allowsCellularAccess
        if let flaw { throw failure("The request cannot be archived: \(flaw)") }
    }

    /// The described request.
    public var urlRequest: URLRequest {
        var request = URLRequest(url: url, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval ?? .infinity)
        request.httpMethod = method.rawValue
        request.allHTTPHeaderFields = headers
        request.httpBody = body
        request.httpShouldHandleCookies = httpShouldHandleCookies
        request.allowsCellularAccess = allowsCellularAccess
        return request
    }

    private enum CodingKeys: String, CodingKey {
        case url, method, headers, body, timeoutInterval, httpShouldHandleCookies, allowsCellularAccess
        case policy = "cachePolicy"
    }

    /// Decodes a description; throws a `DecodingError` unless it describes a request that can be sent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        method = try container.decode(HTTPMethod.self, forKey: .method)
        headers = try container.decode([String: String].self, forKey: .headers)
        body = try container.decodeIfPresent(Data.self, forKey: .body)
        timeoutInterval = try container.decodeIfPresent(TimeInterval.self, forKey: .timeoutInterval)
        policy = try container.decode(UInt.self, forKey: .policy)
        httpShouldHandleCookies = try container.decode(Bool.self, forKey: .httpShouldHandleCookies)
        allowsCellularAccess = try container.decode(Bool.self, forKey: .allowsCellularAccess)
        guard URLRequest.CachePolicy(rawValue: policy) != nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .policy,
                in: container,
                debugDescription: "There is no cache policy with the raw value \(policy)"
            )
        }
        if let flaw { throw DecodingError.dataCorruptedError(forKey: .url, in: container, debugDescription: flaw) }
    }

    /// The reason why the described request cannot be sent, or nil.
    private var flaw: String? {
        guard url.isWebAddress else { return "The URL is not a web address" }
        guard method.isValid else { return "The method is not a token" }
        guard HeaderRule.areFields(headers) else { return "A header field is malformed" }
        guard timeoutInterval.map({ $0.isFinite && $0 >= 0 }) ?? true else { return "The timeout is not a duration" }
        return nil
    }
}

extension HeaderRule {
    /// Returns whether all names and values are valid in header fields.
    static func areFields(_ fields: [String: String]) -> Bool {
        fields.allSatisfy { isToken($0.key) && isValue($0.value) }
    }
}

extension RequestDescriptor: RedactedDescription {
    /// The method and the URL, without secrets.
    public var description: String { method.rawValue + " " + url.presentableText }
}
