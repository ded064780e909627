import FerrySession

/// Makes a ``PropertyListValue`` from a property list, binary or XML.
///
/// An empty body gives neither value nor error.
///
/// AFNetworking: `AFPropertyListResponseSerializer`.
public struct PropertyListResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The content types of property lists: AFNetworking's and those in use for binary lists and for XML.
    public static let contentTypes: Set<String> = [
        "application/x-plist", "application/x-apple-binary-plist", "application/x-bplist",
        "application/vnd.apple.plist+xml",
    ]

    /// The acceptable status codes (200 to 299 by default) and content types (``contentTypes`` by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
    public init(validation: Validation = Validation(contentTypes: contentTypes), maximumBytes: Int? = nil) {
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Checks a response and reads its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The value, and what was wrong; an error in the list lies on top of one in the response.
    public func serialize(
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> SerializedResponse<PropertyListValue> {
        BodyCheck(self, request: request, response: response, data: data).decode("a property list") { body in
            try PropertyListValue(propertyList: body)
        }
    }
}

extension ResponseSerializer where Self == PropertyListResponseSerializer {
    /// The body as a ``PropertyListValue``.
    public static var propertyList: PropertyListResponseSerializer { PropertyListResponseSerializer() }
}
