import FerrySession

/// Looks through an XML text for what XMLParser and XMLDocument do not report, or only by crashing.
///
/// On Linux `XMLParser.parse()` succeeds for texts that are cut short, `XMLDocument` repairs what is malformed without a
/// word and crashes on an empty text.
final class XMLWellFormedness: NSObject, XMLParserDelegate {
    /// libxml2 builds no deeper trees; it would cut the rest off.
    static let maximumDepth = 250

    private var open = 0
    private var elements = 0
    private var failure: XMLParsingError?

    /// Throws what is wrong with a text, if anything is.
    static func check(_ data: Data) throws(XMLParsingError) {
        guard !data.isEmpty else { throw XMLParsingError(reason: "The text is empty", line: 1, column: 1) }
        let parser = XMLParser(data: data)
        let delegate = XMLWellFormedness()
        parser.delegate = delegate
        let isComplete = parser.parse()
        parser.delegate = nil
        if let failure = delegate.failure { throw failure }
        if let error = parser.parserError { throw XMLParsingError(error, parser) }
        guard isComplete, delegate.elements > 0, delegate.open == 0 else {
            throw XMLParsingError(reason: "The text ends too early", parser)
        }
    }

    func parser(
        _ parser: XMLParser,
        didStartElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        elements += 1
        open += 1
        guard open > Self.maximumDepth, failure == nil else { return }
        failure = XMLParsingError(reason: "More than \(Self.maximumDepth) levels", parser)
        parser.abortParsing()
    }

    func parser(
        _ parser: XMLParser,
        didEndElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        open -= 1
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        failure = failure ?? XMLParsingError(parseError, parser)
    }
}

extension XMLParsingError {
    fileprivate init(_ error: any Error, _ parser: XMLParser) {
        let message = (error as NSError).userInfo["NSXMLParserErrorMessage"] as? String
        let reason = message?.trimmingCharacters(in: .whitespacesAndNewlines) ?? error.localizedDescription
        self.init(reason: reason, parser)
    }

    fileprivate init(reason: String, _ parser: XMLParser) {
        self.init(reason: reason, line: parser.lineNumber, column: parser.columnNumber)
    }
}
