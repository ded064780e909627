/// A response serializer that decodes a JSON body as a ``JSONValue``.
///
/// If the body is empty or a single space, there is no value, and no error unless validation fails. If the status code
/// is not acceptable but the body is JSON, there are both a value and an error. The underlying error of a parse error
/// is the validation error, if any.
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
    public var maximumBodySize: Int?
    /// The options for parsing; by default, the body must be an array or an object.
    public var readingOptions: JSONValue.ReadingOptions
    /// Where `null` is removed; nowhere by default.
    public var nullRemoval: JSONValue.NullRemoval

    /// Creates a serializer; each parameter is the initial value of the property with its name.
    public init(
        readingOptions: JSONValue.ReadingOptions = [],
        nullRemoval: JSONValue.NullRemoval = .none,
        validation: Validation = Validation(contentTypes: contentTypes),
        maximumBodySize: Int? = nil
    ) {
        self.readingOptions = readingOptions
        self.nullRemoval = nullRemoval
        self.validation = validation
        self.maximumBodySize = maximumBodySize
    }

    /// Validates a response and decodes its body; see ``ResponseSerializer/serialize(_:)``.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<JSONValue> {
        BodyCheck(self, response).decode("JSON") { body in
            // Rails sends one space for `head :ok`, since Safari did not accept an empty body.
            if body.isSingleSpace { return nil }
            return try JSONValue(json: body, options: readingOptions).removingNullValues(nullRemoval)
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

/// A response serializer that decodes a JSON body as `[String: Any]`, `[Any]`, `String`, `NSNumber` or `NSNull`.
///
/// Use it for code that casts `response.value as? [String: Any]`, as with AFNetworking:
///
/// ```swift
/// manager.responseSerializer = .jsonObject
/// ```
///
/// It validates and parses responses as ``JSONResponseSerializer`` does, whose ``JSONValue`` needs no casts.
public struct JSONObjectResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The serializer that validates the response and parses the body.
    public var json: JSONResponseSerializer

    /// Creates a serializer that validates and parses responses with another one.
    public init(_ json: JSONResponseSerializer = JSONResponseSerializer()) {
        self.json = json
    }

    /// The acceptable status codes (200 to 299 by default) and content types (those of JSON by default).
    public var validation: Validation {
        get { json.validation }
        set { json.validation = newValue }
    }

    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int? {
        get { json.maximumBodySize }
        set { json.maximumBodySize = newValue }
    }

    /// Validates a response and decodes its body; see ``ResponseSerializer/serialize(_:)``.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<any Sendable> {
        let result = json.serialize(response)
        return SerializedResponse(value: result.value?.foundationValue, error: result.error)
    }
}

extension ResponseSerializer where Self == JSONObjectResponseSerializer {
    /// A response serializer that decodes JSON for casts such as `as? [String: Any]`.
    public static var jsonObject: JSONObjectResponseSerializer { JSONObjectResponseSerializer() }
}
