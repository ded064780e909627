import FerrySession

/// Gives the body as it is, also when the response is not acceptable.
///
/// AFNetworking: `AFHTTPResponseSerializer`.
public struct HTTPDataResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
    public init(validation: Validation = Validation(), maximumBytes: Int? = nil) {
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Checks a response and gives its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The body, and what was wrong; no body if it is too large.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Data> {
        let check = BodyCheck(self, request: request, response: response, data: data)
        return SerializedResponse(value: check.error?.code == .responseTooLarge ? nil : data, error: check.error)
    }
}

extension ResponseSerializer where Self == HTTPDataResponseSerializer {
    /// The body as it is.
    public static var data: HTTPDataResponseSerializer { HTTPDataResponseSerializer() }
}
