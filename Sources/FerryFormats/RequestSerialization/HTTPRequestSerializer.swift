/// A request serializer that encodes parameters as a query or as an `application/x-www-form-urlencoded` body.
///
/// ```swift
/// var serializer = HTTPRequestSerializer()
/// serializer.timeoutInterval = 10
/// serializer.queryEncoding.arrays = .repeated
/// ```
///
/// Parameters go into the URL for the methods in ``RequestOptions/methodsEncodingParametersInURI``, and into the body
/// for all other methods. Without parameters, a request with one of those other methods keeps its body; if it has none,
/// it gets an empty form as its body. AFNetworking: `AFHTTPRequestSerializer`.
public struct HTTPRequestSerializer: ConfigurableRequestSerializer, Codable {
    /// The default header fields, the request properties and the encoding of parameters.
    public var options: RequestOptions

    /// Creates a serializer with the given options.
    public init(options: RequestOptions = RequestOptions()) {
        self.options = options
    }

    /// Returns a copy of the request with default header fields and with the parameters in its query or body.
    ///
    /// - Parameters:
    ///   - request: The request. Header fields that it already has are kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or the error that ``RequestOptions/querySerializer`` throws.
    public func serialize(_ request: URLRequest, parameters: Parameters?) throws -> URLRequest {
        let url = try request.requiredURL()
        var request = request
        try request.addMissingHeaders(options.headers)
        if options.encodesParametersInURI(request) {
            if let parameters {
                request.url = try url.appendingQuery(try options.query(parameters, for: request, in: .utf8))
            }
            return request
        }
        guard parameters != nil || !request.hasBody else { return request }
        let encoding = options.stringEncoding
        let query = try parameters.map { parameters in try options.query(parameters, for: request, in: encoding) }
        try request.setBody((query ?? "").data(in: encoding), contentType: "application/x-www-form-urlencoded")
        return request
    }
}

extension URL {
    /// Returns the absolute URL with a percent-encoded query appended to its existing query, before the fragment.
    fileprivate func appendingQuery(_ query: String) throws -> URL {
        let text = absoluteString
        guard !query.isEmpty else { return self }
        let fragment = text.firstIndex(of: "#") ?? text.endIndex
        let head = text[..<fragment]
        let separator =
            switch head.last {
            case _ where !head.contains("?"): "?"
            case "?", "&": ""
            default: "&"
            }
        guard let url = URL(string: head + separator + query + text[fragment...]) else {
            let reason = "The query cannot be appended to the URL."
            throw RequestSerializationError(.invalidURL, reason: reason, failingURL: text)
        }
        return url
    }
}

extension RequestSerializer where Self == HTTPRequestSerializer {
    /// A request serializer that encodes parameters as a query or a form body.
    public static var form: HTTPRequestSerializer { HTTPRequestSerializer() }

    /// Returns a request serializer for queries and form bodies, with the given options.
    ///
    /// For example, `.form { $0.timeoutInterval = 10 }`.
    public static func form(_ configure: (inout RequestOptions) -> Void) -> HTTPRequestSerializer {
        HTTPRequestSerializer(options: RequestOptions(configure: configure))
    }
}
