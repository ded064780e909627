import Foundation

/// A response serializer that returns the body unchanged, even if the response is not acceptable.
///
/// AFNetworking: `AFHTTPResponseSerializer`.
public struct HTTPDataResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation

    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The maximum size of a body, in bytes; `nil` for no limit.
    public init(validation: Validation = Validation(), maximumBytes: Int? = nil) {
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Validates a response and returns its body.
    ///
    /// - Parameters:
    ///   - request: The request that was sent last, such as after a redirect.
    ///   - response: The server's response.
    ///   - data: The response's body.
    /// - Returns: The body and the validation error, if any; no body if it is too large.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Data> {
        let check = BodyCheck(self, request: request, response: response, data: data)
        return SerializedResponse(value: check.error?.code == .responseTooLarge ? nil : data, error: check.error)
    }
}

extension ResponseSerializer where Self == HTTPDataResponseSerializer {
    /// A response serializer that returns the body unchanged.
    public static var data: HTTPDataResponseSerializer { HTTPDataResponseSerializer() }
}
