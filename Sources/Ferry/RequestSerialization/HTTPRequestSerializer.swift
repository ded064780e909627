import FerrySession

/// Encodes parameters as a query, or as an `application/x-www-form-urlencoded` body.
///
/// ```swift
/// var serializer = HTTPRequestSerializer()
/// serializer.timeoutInterval = 10
/// serializer.queryEncoding.arrays = .repeated
/// ```
///
/// A method that takes a body gets one even without parameters: an empty text is a valid form. A body the request
/// carries already is kept then. AFNetworking: `AFHTTPRequestSerializer`.
public struct HTTPRequestSerializer: ConfigurableRequestSerializer, Codable {
    /// Headers, properties and encoding.
    public var options: RequestOptions

    /// Creates a serializer.
    public init(options: RequestOptions = RequestOptions()) {
        self.options = options
    }

    /// A copy of the request with default headers, and with the parameters in its query or its body.
    ///
    /// - Parameters:
    ///   - request: The request; what it carries already is kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or what ``RequestOptions/querySerializer`` throws.
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

extension RequestSerializer where Self == HTTPRequestSerializer {
    /// Parameters as a query or a form body.
    public static var form: HTTPRequestSerializer { HTTPRequestSerializer() }

    /// Parameters as a query or a form body, with options such as `.form { $0.timeoutInterval = 10 }`.
    public static func form(_ configure: (inout RequestOptions) -> Void) -> HTTPRequestSerializer {
        HTTPRequestSerializer(options: RequestOptions(configure: configure))
    }
}
