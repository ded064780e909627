/// A well-formed XML text that has not been parsed yet.
public struct XMLContent: Sendable, Hashable {
    /// The text, in UTF-8 with line feeds as line ends, and with the text of declared entities in place of references
    /// in the content of elements.
    public let data: Data

    /// The size of ``data`` with the text of entities in place of references in attributes, in bytes.
    let expandedSize: Int

    /// Creates the content from a text, which is checked to be well-formed and converted to UTF-8.
    ///
    /// Foundation's parsers on Linux crash the process on many malformed texts, so such texts never reach them. Some
    /// well-formed texts are rejected too:
    /// - declarations in the document type other than entities of plain text
    /// - entity references that expand to more than 8 MiB and more than ten times the size of the text
    /// - more than 250 levels of elements
    /// - elements with more than 1,000 attributes or with more than 1,000 namespaces in scope
    /// - names of more than 1,024 bytes
    /// - public and system identifiers of more than 50,000 bytes
    ///
    /// - Parameters:
    ///   - data: The text.
    ///   - encoding: The encoding of the text unless it has a byte order mark, which takes precedence. With `nil`, it
    ///     is the encoding that the XML declaration names, or UTF-8.
    /// - Throws: ``XMLParsingError`` with the reason and the position of the error.
    public init(_ data: Data, encoding: String.Encoding? = nil) throws(XMLParsingError) {
        let utf8 = try Self.utf8(data, encoding: encoding)
        let result = utf8.withUnsafeBytes { bytes in
            Result { () throws(XMLParsingError) -> (edits: [XMLScanner.Edit], attributeExpansion: Int) in
                var scanner = XMLScanner(bytes.bindMemory(to: UInt8.self))
                try scanner.scan()
                return (scanner.edits, scanner.attributeExpansion)
            }
        }
        let (edits, attributeExpansion) = try result.get()
        let data = Self.applying(edits, to: utf8)
        self.data = data
        expandedSize = data.count + attributeExpansion
    }

    /// Returns a new parser on each call, which has not been started and does not load external entities.
    ///
    /// Its `parse()` returns false if a text, comment, attribute or the like has more than 10,000,000 bytes, which
    /// libxml2 does not accept.
    public func makeParser() -> XMLParser {
        // A parser with data passes it to libxml2 as one piece, and fails after the end of one that is longer than
        // 10,000,000 bytes.
        let parser = XMLParser(stream: InputStream(data: data))
        parser.shouldResolveExternalEntities = false
        return parser
    }

    private static func utf8(_ data: Data, encoding: String.Encoding?) throws(XMLParsingError) -> Data {
        let mark = Charset.byteOrderMark(of: data)
        let text = mark.map { data.dropFirst($0.length) } ?? data
        if mark == nil, encoding == nil, let name = Charset.wrongXMLDeclaration(of: data) {
            let reason = "The text declares \(name), but is not in this encoding"
            throw XMLParsingError(reason: reason, line: 1, column: 1)
        }
        let encoding = mark?.encoding ?? encoding ?? Charset.xmlDeclaration(of: data) ?? .utf8
        guard encoding != .utf8 else { return withLineFeeds(text) }
        guard let string = Charset.string(text, encoding: encoding) else {
            throw XMLParsingError(reason: "The text is not valid \(encoding)", line: 1, column: 1)
        }
        return withLineFeeds(Data(string.utf8))
    }

    /// Returns a text with line feeds as line ends (XML 1.0, section 2.11).
    ///
    /// libxml2 does the same, but not in sections of character data.
    private static func withLineFeeds(_ text: Data) -> Data {
        guard text.withUnsafeBytes({ $0.contains(0x0D) }) else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var followsReturn = false
        for byte in text {
            if byte != 0x0A || !followsReturn { result.append(byte == 0x0D ? 0x0A : byte) }
            followsReturn = byte == 0x0D
        }
        return Data(result)
    }

    /// Returns the text with the edits applied; if none changes the text, it is not copied.
    private static func applying(_ edits: [XMLScanner.Edit], to text: Data) -> Data {
        let changes = edits.filter { edit in
            let start = text.startIndex + edit.range.lowerBound
            return !text[start..<start + edit.range.count].elementsEqual(edit.text.utf8)
        }
        guard !changes.isEmpty else { return text }
        var changed = Data(capacity: text.count + changes.count * 8)
        var rest = text
        for edit in changes {
            changed += rest.prefix(upTo: text.startIndex + edit.range.lowerBound)
            changed.append(contentsOf: edit.text.utf8)
            rest = text.suffix(from: text.startIndex + edit.range.upperBound)
        }
        changed += rest
        return changed
    }
}

/// The error of a text that is not well-formed XML or exceeds a limit.
public struct XMLParsingError: Error, Sendable, Hashable, LocalizedError {
    /// The description of the error.
    public var reason: String
    /// The line of the error, starting from 1.
    public var line: Int
    /// The column of the error in bytes of UTF-8, starting from 1.
    public var column: Int

    /// The reason and the position.
    public var errorDescription: String? { "\(reason) at line \(line), column \(column)" }
}
