import FerrySession

/// Makes Foundation's objects from a JSON body: `[String: Any]`, `[Any]`, `String`, `NSNumber` or `NSNull`.
///
/// It is for code that casts `response.value as? [String: Any]`, as with AFNetworking:
///
/// ```swift
/// manager.responseSerializer = .jsonObject
/// ```
///
/// It validates and reads as ``JSONResponseSerializer`` does, whose ``JSONValue`` needs no casts.
public struct JSONObjectResponseSerializer: ValidatingResponseSerializer, Codable {
    /// What reads the body.
    public var json: JSONResponseSerializer

    /// Makes a serializer.
    ///
    /// - Parameter json: What reads the body.
    public init(_ json: JSONResponseSerializer = JSONResponseSerializer()) {
        self.json = json
    }

    /// The acceptable status codes (200 to 299 by default) and content types (those of JSON by default).
    public var validation: Validation {
        get { json.validation }
        set { json.validation = newValue }
    }

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int? {
        get { json.maximumBytes }
        set { json.maximumBytes = newValue }
    }

    /// Checks a response and reads its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The value, and what was wrong.
    public func serialize(
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> SerializedResponse<any Sendable> {
        let result = json.serialize(request: request, response: response, data: data)
        return SerializedResponse(value: result.value?.foundationValue, error: result.error)
    }
}

extension ResponseSerializer where Self == JSONObjectResponseSerializer {
    /// The body as Foundation's objects, to be cast with `as? [String: Any]`.
    public static var jsonObject: JSONObjectResponseSerializer { JSONObjectResponseSerializer() }
}
