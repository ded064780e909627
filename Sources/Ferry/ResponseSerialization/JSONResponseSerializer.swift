import Foundation

/// A response serializer that decodes a JSON body as a ``JSONValue``.
///
/// If the body is empty or a single space, there is no value, and no error unless validation fails. If the status code
/// is not acceptable but the body is JSON, there are both a value and an error.
///
/// AFNetworking: `AFJSONResponseSerializer`.
public struct JSONResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The content types of JSON: AFNetworking's three and every `application/…+json` (RFC 6839).
    public static let contentTypes: Set<String> = [
        "application/json", "text/json", "text/javascript", "application/*+json",
    ]

    /// The acceptable status codes (200 to 299 by default) and content types (``contentTypes`` by default).
    public var validation: Validation

    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int?

    /// The options for parsing; by default, the body must be an array or an object.
    public var readingOptions: JSONValue.ReadingOptions

    /// Where `null` is removed; nowhere by default.
    public var removesNullValues: JSONValue.NullRemoval

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - readingOptions: The options for parsing.
    ///   - removesNullValues: Where `null` is removed.
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The maximum size of a body, in bytes; `nil` for no limit.
    public init(
        readingOptions: JSONValue.ReadingOptions = [],
        removesNullValues: JSONValue.NullRemoval = .none,
        validation: Validation = Validation(contentTypes: contentTypes),
        maximumBytes: Int? = nil
    ) {
        self.readingOptions = readingOptions
        self.removesNullValues = removesNullValues
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Validates a response and decodes its body.
    ///
    /// - Parameters:
    ///   - request: The request that was sent last, such as after a redirect.
    ///   - response: The server's response.
    ///   - data: The response's body.
    /// - Returns: The value and the error, each of which may be `nil`. The underlying error of a parse error is the
    ///   validation error, if any.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<JSONValue> {
        BodyCheck(self, request: request, response: response, data: data).decode("JSON") { body in
            // Rails sends one space for `head :ok`, since Safari did not accept an empty body.
            if body.isSingleSpace { return nil }
            return try JSONValue(json: body, options: readingOptions).removingNullValues(removesNullValues)
        }
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// A response serializer that decodes a JSON body as a ``JSONValue``.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}

extension Data {
    /// Whether the data is a single space.
    package var isSingleSpace: Bool { count == 1 && first == 0x20 }
}
