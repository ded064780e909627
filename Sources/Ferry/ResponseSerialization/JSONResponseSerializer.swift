import FerrySession

/// Makes a ``JSONValue`` from a JSON body.
///
/// An empty body, or one that is a single space, gives neither value nor error. A response with an unacceptable status
/// code and a JSON body gives both.
///
/// AFNetworking: `AFJSONResponseSerializer`.
public struct JSONResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The content types of JSON: AFNetworking's three and every `application/…+json` (RFC 6839).
    public static let contentTypes: Set<String> = [
        "application/json", "text/json", "text/javascript", "application/*+json",
    ]

    /// The acceptable status codes (200 to 299 by default) and content types (``contentTypes`` by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    /// What is accepted beyond an array or an object; by default nothing.
    public var readingOptions: JSONValue.ReadingOptions

    /// Where `null` is taken out; by default nowhere.
    public var removesNullValues: JSONValue.NullRemoval

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - readingOptions: What is accepted beyond an array or an object.
    ///   - removesNullValues: Where `null` is taken out.
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
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

    /// Checks a response and reads its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The value, and what was wrong; an error in the text lies on top of one in the response.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<JSONValue> {
        BodyCheck(self, request: request, response: response, data: data).decode("JSON") { body in
            // Rails sends one space for `head :ok`, since Safari would not take an empty body.
            if body.isSingleSpace { return nil }
            return try JSONValue(json: body, options: readingOptions).removingNullValues(removesNullValues)
        }
    }
}

extension ResponseSerializer where Self == JSONResponseSerializer {
    /// The body as a ``JSONValue``.
    public static var json: JSONResponseSerializer { JSONResponseSerializer() }
}

extension Data {
    /// Whether the only byte is a space.
    package var isSingleSpace: Bool { count == 1 && first == 0x20 }
}
