import FerrySession

/// An XML text that has not been parsed yet.
public struct XMLContent: Sendable, Hashable {
    /// The text.
    public let data: Data

    /// Wraps a text.
    ///
    /// - Parameter data: The text.
    public init(_ data: Data) {
        self.data = data
    }

    /// Makes a parser that has not been started.
    ///
    /// External entities are not loaded. On Linux `parse()` is true for many malformed texts: look at `parserError`
    /// too, or use ``parse(_:)``.
    ///
    /// - Returns: A new parser each time.
    public func makeParser() -> XMLParser {
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        return parser
    }

    /// Parses the text strictly.
    ///
    /// - Parameter delegate: Gets the events, on the calling thread.
    /// - Throws: ``XMLParsingError`` if the text is not well-formed: found beforehand, so that the delegate sees nothing
    ///   of a malformed text.
    public func parse(_ delegate: any XMLParserDelegate) throws(XMLParsingError) {
        try XMLWellFormedness.check(data)
        let parser = makeParser()
        parser.delegate = delegate
        _ = parser.parse()
        parser.delegate = nil
    }
}
