extension PropertyListValue {
    /// Creates a value from an XML property list.
    ///
    /// The encoding is that of the byte order mark or the XML declaration, or UTF-8 without either.
    package init(xml data: Data) throws(PropertyListParsingError) {
        let start = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        let first = start.first { !XMLPropertyListScanner.isWhitespace($0) }
        // 0xFE and 0xFF begin the byte order marks of UTF-16.
        guard first == UInt8(ascii: "<") || first == 0xFE || first == 0xFF else {
            throw PropertyListParsingError("Neither a binary nor an XML property list")
        }
        var text = try Self.decodedText(data)
        let result = text.withUTF8 { bytes in
            Result { () throws(PropertyListParsingError) in
                var parser = XMLPropertyListParser(bytes)
                return try parser.parse()
            }
        }
        self = try result.get()
    }

    /// Returns the text of a list without its byte order mark.
    private static func decodedText(_ data: Data) throws(PropertyListParsingError) -> String {
        var encoding = String.Encoding.utf8
        var text = data
        if let mark = Charset.byteOrderMark(of: data) {
            encoding = mark.encoding
            text = data.dropFirst(mark.length)
        } else if let name = Charset.xmlEncodingName(of: data) {
            guard let declared = Charset.xmlDeclaration(of: data) else {
                throw PropertyListParsingError("A text in the unknown encoding “\(name)”")
            }
            encoding = declared
        }
        // ASCII is a part of UTF-8, and many texts that declare it are UTF-8.
        let isUTF8 = encoding == .utf8 || encoding == .ascii
        let decoded = isUTF8 ? String(validating: text, as: UTF8.self) : Charset.string(text, encoding: encoding)
        guard let decoded else { throw PropertyListParsingError("A text that is invalid in its encoding") }
        return decoded
    }
}
