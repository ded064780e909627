/// A response serializer that returns a well-formed XML body, from which an `XMLParser` can be created.
///
/// An `XMLParser` has state and cannot be passed between queues, so ``XMLContent/makeParser()`` creates one where it is
/// needed. A malformed body is an error, since `XMLParser` on Linux may crash the process on it; the underlying error
/// is the validation error, if any.
///
/// AFNetworking: `AFXMLParserResponseSerializer`.
public struct XMLParserResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The content types of XML: AFNetworking's two and every `application/…+xml` (RFC 7303).
    public static let contentTypes: Set<String> = ["application/xml", "text/xml", "application/*+xml"]

    /// The acceptable status codes (200 to 299 by default) and content types (``contentTypes`` by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?

    /// Creates a serializer; each parameter is the initial value of the property with its name.
    public init(validation: Validation = Validation(contentTypes: contentTypes), maximumBodySize: Int? = nil) {
        self.validation = validation
        self.maximumBodySize = maximumBodySize
    }

    /// Validates a response and checks that its body is well-formed; see
    /// `ResponseSerializer.serialize(_:)`.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<XMLContent> {
        BodyCheck(self, response).decode("XML") { body in
            try XMLContent(body, encoding: response.declaredEncoding)
        }
    }
}

extension ResponseSerializer where Self == XMLParserResponseSerializer {
    /// A response serializer that returns the body as XML to be parsed.
    public static var xmlParser: XMLParserResponseSerializer { XMLParserResponseSerializer() }
}
