import Ferry

/// A response serializer that decodes a well-formed XML body as a document.
///
/// On Linux, `XMLDocument` silently repairs malformed texts or crashes the process on them; this serializer reports
/// them as errors.
///
/// AFNetworking: `AFXMLDocumentResponseSerializer`.
public struct XMLDocumentResponseSerializer: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (those of XML by default).
    public var validation: Validation

    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int?

    /// The options for parsing; none by default.
    ///
    /// External entities are never loaded.
    public var options: XMLNode.Options

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - options: The options for parsing.
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The maximum size of a body, in bytes; `nil` for no limit.
    public init(
        options: XMLNode.Options = [],
        validation: Validation = Validation(contentTypes: XMLParserResponseSerializer.contentTypes),
        maximumBytes: Int? = nil
    ) {
        self.options = options
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Validates a response and parses its body.
    ///
    /// - Parameters:
    ///   - request: The request that was sent last, such as after a redirect.
    ///   - response: The server's response.
    ///   - data: The response's body.
    /// - Returns: The document and the error, each of which may be `nil`. The underlying error of a parse error is the
    ///   validation error, if any.
    public func serialize(
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> SerializedResponse<ParsedXMLDocument> {
        BodyCheck(self, request: request, response: response, data: data).decode("XML") { body in
            try ParsedXMLDocument(XMLContent(body, encoding: response?.declaredEncoding), options: options)
        }
    }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
    /// A response serializer that decodes the body as an XML document.
    public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }
}
