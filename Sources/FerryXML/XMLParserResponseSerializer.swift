import Ferry

/// A response serializer that returns a well-formed XML body, from which an `XMLParser` can be created.
///
/// An `XMLParser` has state and cannot be passed between queues, so ``XMLContent/makeParser()`` creates one where it is
/// needed. A malformed body is an error, since `XMLParser` on Linux may crash the process on it.
///
/// AFNetworking: `AFXMLParserResponseSerializer`.
public struct XMLParserResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The content types of XML: AFNetworking's two and every `application/…+xml` (RFC 7303).
    public static let contentTypes: Set<String> = ["application/xml", "text/xml", "application/*+xml"]

    /// The acceptable status codes (200 to 299 by default) and content types (``contentTypes`` by default).
    public var validation: Validation

    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The maximum size of a body, in bytes; `nil` for no limit.
    public init(validation: Validation = Validation(contentTypes: contentTypes), maximumBytes: Int? = nil) {
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Validates a response and checks that its body is well-formed.
    ///
    /// - Parameters:
    ///   - request: The request that was sent last, such as after a redirect.
    ///   - response: The server's response.
    ///   - data: The response's body.
    /// - Returns: The text and the error, each of which may be `nil`. The underlying error of an error in the text is
    ///   the validation error, if any.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<XMLContent> {
        BodyCheck(self, request: request, response: response, data: data).decode("XML") { body in
            try XMLContent(body, encoding: response?.declaredEncoding)
        }
    }
}

extension ResponseSerializer where Self == XMLParserResponseSerializer {
    /// A response serializer that returns the body as XML to be parsed.
    public static var xmlParser: XMLParserResponseSerializer { XMLParserResponseSerializer() }
}
