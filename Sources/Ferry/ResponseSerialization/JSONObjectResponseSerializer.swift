import Foundation

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

    /// Creates a serializer.
    ///
    /// - Parameter json: The serializer that validates the response and parses the body.
    public init(_ json: JSONResponseSerializer = JSONResponseSerializer()) {
        self.json = json
    }

    /// The acceptable status codes (200 to 299 by default) and content types (those of JSON by default).
    public var validation: Validation {
        get { json.validation }
        set { json.validation = newValue }
    }

    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int? {
        get { json.maximumBytes }
        set { json.maximumBytes = newValue }
    }

    /// Validates a response and decodes its body.
    ///
    /// - Parameters:
    ///   - request: The request that was sent last, such as after a redirect.
    ///   - response: The server's response.
    ///   - data: The response's body.
    /// - Returns: The value and the error; each may be `nil`.
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
    /// A response serializer that decodes JSON for casts such as `as? [String: Any]`.
    public static var jsonObject: JSONObjectResponseSerializer { JSONObjectResponseSerializer() }
}
