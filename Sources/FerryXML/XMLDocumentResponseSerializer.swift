import Ferry

/// Makes an XML tree from a well-formed body.
///
/// `XMLDocument` on Linux repairs malformed texts without a word, or stops the process over them; here they are an
/// error.
///
/// AFNetworking: `AFXMLDocumentResponseSerializer`.
public struct XMLDocumentResponseSerializer: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (those of XML by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    /// How the tree is made; by default without options.
    ///
    /// External entities are never loaded.
    public var options: XMLNode.Options

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - options: How the tree is made.
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
    public init(
        options: XMLNode.Options = [],
        validation: Validation = Validation(contentTypes: XMLParserResponseSerializer.contentTypes),
        maximumBytes: Int? = nil
    ) {
        self.options = options
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Checks a response and makes a tree from its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The document, and what was wrong; an error in the text lies on top of one in the response.
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
    /// The body as an XML tree.
    public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }
}
