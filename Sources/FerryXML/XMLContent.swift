import Ferry

/// A well-formed XML text that has not been parsed yet.
public struct XMLContent: Sendable, Hashable {
    /// The text, in UTF-8.
    public let data: Data

    /// Checks a text and makes it UTF-8.
    ///
    /// Foundation's parsers on Linux stop the process at many malformed texts, so none is handed to them. Refused besides
    /// are declarations in the document type other than entities of plain text, references that stand for more than
    /// 8 MiB or ten times the text in all, more than 250 levels, elements with more than 1,000 attributes or in the scope
    /// of more than 1,000 namespaces, and names of more than 1,024 bytes.
    ///
    /// - Parameters:
    ///   - data: The text.
    ///   - encoding: Its encoding; by default what its byte order mark or its declaration says, else UTF-8.
    /// - Throws: ``XMLParsingError``, which says where and why it is not well-formed.
    public init(_ data: Data, encoding: String.Encoding? = nil) throws(XMLParsingError) {
        let utf8 = try Self.utf8(data, encoding: encoding)
        let result = utf8.withUnsafeBytes { bytes in
            Result { () throws(XMLParsingError) in
                var scanner = XMLScanner(bytes.bindMemory(to: UInt8.self))
                try scanner.scan()
                return scanner.edits
            }
        }
        self.data = Self.applying(try result.get(), to: utf8)
    }

    /// Makes a parser that has not been started.
    ///
    /// External entities are not loaded.
    ///
    /// - Returns: A new parser each time.
    public func makeParser() -> XMLParser {
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        return parser
    }

    private static func utf8(_ data: Data, encoding: String.Encoding?) throws(XMLParsingError) -> Data {
        let mark = Charset.byteOrderMark(of: data)
        let text = mark.map { data.dropFirst($0.length) } ?? data
        let encoding =
            mark?.encoding ?? encoding ?? Charset.declaration(in: data, contentType: "application/xml") ?? .utf8
        guard encoding != .utf8 else { return text }
        guard let string = Charset.string(text, encoding: encoding) else {
            throw XMLParsingError(reason: "The text is not in \(encoding)", line: 1, column: 1)
        }
        return Data(string.utf8)
    }

    /// Nothing is copied where nothing has to be changed.
    private static func applying(_ edits: [XMLScanner.Edit], to text: Data) -> Data {
        let changes = edits.filter { edit in
            let start = text.startIndex + edit.range.lowerBound
            return text[start..<start + edit.range.count] != Data(edit.text.utf8)
        }
        guard !changes.isEmpty else { return text }
        var changed = Data(capacity: text.count + changes.count * 8)
        var rest = text
        for edit in changes {
            changed += rest.prefix(upTo: text.startIndex + edit.range.lowerBound)
            changed += Data(edit.text.utf8)
            rest = text.suffix(from: text.startIndex + edit.range.upperBound)
        }
        return changed + rest
    }
}
