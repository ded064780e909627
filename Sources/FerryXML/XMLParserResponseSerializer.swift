import Ferry

/// Gives a well-formed XML body from which a parser can be made.
///
/// `XMLParser` is an object with a state and cannot be handed from queue to queue, so the value makes one where it is
/// needed: ``XMLContent/makeParser()``. A malformed body is an error here already, since `XMLParser` on Linux may stop the
/// process over it.
///
/// AFNetworking: `AFXMLParserResponseSerializer`.
public struct XMLParserResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The content types of XML: AFNetworking's two and every `application/…+xml` (RFC 7303).
    public static let contentTypes: Set<String> = ["application/xml", "text/xml", "application/*+xml"]

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

    /// Checks a response and gives its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The text, and what was wrong; an error in the text lies on top of one in the response.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<XMLContent> {
        BodyCheck(self, request: request, response: response, data: data).decode("XML") { body in
            try XMLContent(body, encoding: response?.declaredEncoding)
        }
    }
}

extension ResponseSerializer where Self == XMLParserResponseSerializer {
    /// The body as XML to be parsed.
    public static var xmlParser: XMLParserResponseSerializer { XMLParserResponseSerializer() }
}
