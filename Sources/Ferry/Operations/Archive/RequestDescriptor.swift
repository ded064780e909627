import FerrySession

/// A request as a value that can be encoded, kept and sent again.
///
/// ```swift
/// let saved = try JSONEncoder().encode(RequestDescriptor(request))
/// let request = try JSONDecoder().decode(RequestDescriptor.self, from: saved).urlRequest
/// ```
///
/// It holds the header fields, credentials among them, so it is as confidential as they are.
public struct RequestDescriptor: Codable, Hashable, Sendable {
    /// The URL, of the scheme `http` or `https`.
    public let url: URL

    /// The method.
    public let method: HTTPMethod

    /// The header fields.
    public let headers: [String: String]

    /// The body; nil for none.
    public let body: Data?

    /// The seconds without progress after which the request fails; nil for never.
    public let timeoutInterval: TimeInterval?

    /// How the cache is used.
    public let cachePolicy: URLRequest.CachePolicy

    /// Whether cookies are sent and stored.
    public let httpShouldHandleCookies: Bool

    /// Whether a cellular network may be used.
    public let allowsCellularAccess: Bool

    /// Describes a request.
    ///
    /// - Parameter request: The request.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/encodingFailed`` for one that cannot be described: its body is
    ///   a stream, or it has no URL that can be loaded.
    public init(_ request: URLRequest) throws(NetworkError) {
        guard request.httpBodyStream == nil else {
            throw NetworkError(
                .encodingFailed,
                message: "A request whose body is a stream cannot be kept",
                failingURL: request.url
            )
        }
        guard let url = request.url else {
            throw NetworkError(.encodingFailed, message: "A request without a URL cannot be kept")
        }
        self.url = url.absoluteURL
        method = HTTPMethod(request.httpMethod ?? "GET")
        headers = request.allHTTPHeaderFields ?? [:]
        body = request.httpBody
        timeoutInterval = request.timeoutInterval.isFinite ? request.timeoutInterval : nil
        cachePolicy = request.cachePolicy
        httpShouldHandleCookies = request.httpShouldHandleCookies
        allowsCellularAccess = request.allowsCellularAccess
        if let flaw {
            throw NetworkError(.encodingFailed, message: "The request cannot be kept: \(flaw)", failingURL: url)
        }
    }

    /// The request.
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
        case url, method, headers, body, timeoutInterval, cachePolicy
        case httpShouldHandleCookies, allowsCellularAccess
    }

    /// Reads a description.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for anything that is no description of a request that can be sent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        method = HTTPMethod(try container.decode(String.self, forKey: .method))
        headers = try container.decode([String: String].self, forKey: .headers)
        body = try container.decodeIfPresent(Data.self, forKey: .body)
        timeoutInterval = try container.decodeIfPresent(TimeInterval.self, forKey: .timeoutInterval)
        let policy = try container.decode(UInt.self, forKey: .cachePolicy)
        guard let cachePolicy = URLRequest.CachePolicy(rawValue: policy) else {
            throw DecodingError.dataCorruptedError(
                forKey: .cachePolicy,
                in: container,
                debugDescription: "There is no cache policy \(policy)"
            )
        }
        self.cachePolicy = cachePolicy
        httpShouldHandleCookies = try container.decode(Bool.self, forKey: .httpShouldHandleCookies)
        allowsCellularAccess = try container.decode(Bool.self, forKey: .allowsCellularAccess)
        if let flaw {
            throw DecodingError.dataCorruptedError(forKey: .url, in: container, debugDescription: flaw)
        }
    }

    /// Writes the description.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(method.rawValue, forKey: .method)
        try container.encode(headers, forKey: .headers)
        try container.encodeIfPresent(body, forKey: .body)
        try container.encodeIfPresent(timeoutInterval, forKey: .timeoutInterval)
        try container.encode(cachePolicy.rawValue, forKey: .cachePolicy)
        try container.encode(httpShouldHandleCookies, forKey: .httpShouldHandleCookies)
        try container.encode(allowsCellularAccess, forKey: .allowsCellularAccess)
    }

    /// Why the description is not one of a request that can be sent.
    private var flaw: String? {
        guard url.isWebAddress else { return "The URL is no web address" }
        guard method.isValid else { return "The method is no token" }
        guard HTTPSyntax.areFields(headers) else { return "A header field is malformed" }
        guard timeoutInterval.map({ $0.isFinite && $0 >= 0 }) ?? true else { return "The timeout is no duration" }
        return nil
    }
}

extension HTTPSyntax {
    /// Whether names and values are those of header fields.
    static func areFields(_ fields: [String: String]) -> Bool {
        fields.allSatisfy { isToken($0.key) && isFieldValue($0.value) }
    }
}
