import Foundation

/// A response serializer that returns the body unchanged, even if the response is not acceptable.
///
/// AFNetworking: `AFHTTPResponseSerializer`.
public struct HTTPDataResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int?

    /// Creates a serializer; each parameter is the initial value of the property with its name.
    public init(validation: Validation = Validation(), maximumBytes: Int? = nil) {
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Returns the body, unless it is too large, and the validation error, if any.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Data> {
        let check = BodyCheck(self, request: request, response: response, data: data)
        return SerializedResponse(value: check.error?.code == .responseTooLarge ? nil : data, error: check.error)
    }
}

extension ResponseSerializer where Self == HTTPDataResponseSerializer {
    /// A response serializer that returns the body unchanged.
    public static var data: HTTPDataResponseSerializer { HTTPDataResponseSerializer() }
}
