/// A response serializer that decodes a well-formed XML body as a document.
///
/// On Linux, `XMLDocument` silently repairs malformed texts or crashes the process on them; this serializer reports
/// them as errors. The underlying error of a parse error is the validation error, if any.
///
/// AFNetworking: `AFXMLDocumentResponseSerializer`.
public struct XMLDocumentResponseSerializer: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (those of XML by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?
    /// The options for parsing; none by default.
    ///
    /// External entities are never loaded, and documents are never validated: see ``ParsedXMLDocument``.
    public var options: XMLNode.Options {
        get { XMLNode.Options(rawValue: optionBits) }
        set { optionBits = newValue.rawValue }
    }

    /// The options as bits, which can be archived.
    private var optionBits: UInt

    /// Creates a serializer; each parameter is the initial value of the property with its name.
    public init(
        options: XMLNode.Options = [],
        validation: Validation = Validation(contentTypes: XMLParserResponseSerializer.contentTypes),
        maximumBodySize: Int? = nil
    ) {
        optionBits = options.rawValue
        self.validation = validation
        self.maximumBodySize = maximumBodySize
    }

    /// Validates a response and parses its body; see `ResponseSerializer.serialize(_:)`.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<ParsedXMLDocument> {
        BodyCheck(self, response).decode("XML") { body in
            try ParsedXMLDocument(XMLContent(body, encoding: response.declaredEncoding), options: options)
        }
    }
}

extension ResponseSerializer where Self == XMLDocumentResponseSerializer {
    /// A response serializer that decodes the body as an XML document.
    public static var xmlDocument: XMLDocumentResponseSerializer { XMLDocumentResponseSerializer() }
}

extension XMLDocumentResponseSerializer: Codable {
    private enum CodingKeys: String, CodingKey {
        case validation, maximumBodySize
        case optionBits = "options"
    }
}

/// A well-formed XML text that has been parsed.
///
/// An `XMLDocument` is mutable and not thread-safe, so documents are not shared: each call of ``makeDocument()``
/// returns a separate one. The first is created together with this object; later calls parse the text again.
///
/// The options that load external entities are ignored, since a body could then read files and send requests, and so is
/// `documentValidate`, since Foundation's validation may write beyond its buffer for errors.
public final class ParsedXMLDocument: Sendable {
    /// The text.
    public let content: XMLContent

    /// The maximum size of a document with its entities expanded, in bytes: beyond it, libxml2 drops the rest of some
    /// documents without an error.
    static let maximumSize = 10_000_000

    private let options: XMLNode.Options
    private let ready: Mutex<XMLDocument?>

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - content: The text.
    ///   - options: The options for parsing, except those that are ignored.
    /// - Throws: ``XMLParsingError`` if the text has more than 10,000,000 bytes with its entities expanded, or the
    ///   error that `XMLDocument` throws.
    public init(_ content: XMLContent, options: XMLNode.Options = []) throws {
        guard content.expandedSize <= Self.maximumSize else {
            throw XMLParsingError(reason: "A document of more than \(Self.maximumSize) bytes", line: 1, column: 1)
        }
        self.content = content
        self.options =
            options
            .subtracting([
                .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly, .documentValidate,
            ])
            .union(.nodeLoadExternalEntitiesNever)
        ready = Mutex(try XMLDocument(data: content.data, options: self.options))
    }

    /// Returns a document that is not used elsewhere.
    ///
    /// - Returns: A separate document on each call.
    /// - Throws: The error that `XMLDocument` throws. The first call does not throw.
    public func makeDocument() throws -> sending XMLDocument {
        if let document = take() { return document }
        return try XMLDocument(data: content.data, options: options)
    }

    private func take() -> sending XMLDocument? {
        ready.withLock { document in
            let taken = document
            document = nil
            return taken
        }
    }
}
