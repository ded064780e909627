extension Charset {
    /// Returns the encoding that a byte order mark indicates, and the length of the mark in bytes.
    package static func byteOrderMark(of data: Data) -> (encoding: String.Encoding, length: Int)? {
        let start = Array(data.prefix(4))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if start == [0, 0, 0xFE, 0xFF] { return (.utf32BigEndian, 4) }
        if start == [0xFF, 0xFE, 0, 0] { return (.utf32LittleEndian, 4) }
        if start.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        if start.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        return nil
    }

    /// Returns whether an encoding is that of a byte order mark, except that it leaves the byte order open.
    package static func orders(_ marked: String.Encoding, of encoding: String.Encoding?) -> Bool {
        switch encoding {
        case .utf16?, .unicode?: marked == .utf16BigEndian || marked == .utf16LittleEndian
        case .utf32?: marked == .utf32BigEndian || marked == .utf32LittleEndian
        default: false
        }
    }

    /// Returns the encoding that an XML declaration in the first 1024 bytes of a text names; nil if there is no
    /// declaration, or it names no encoding or an unknown one.
    package static func xmlDeclaration(of data: Data) -> String.Encoding? {
        guard let name = xmlEncodingName(of: data), let encoding = encoding(named: name) else { return nil }
        // The declaration was read byte by byte, so the text is not UTF-16.
        return wideEncodings.contains(encoding) ? .utf8 : encoding
    }

    /// Returns the name if the XML declaration of a text in another encoding names UTF-16 or UTF-32; otherwise nil.
    package static func wrongXMLDeclaration(of data: Data) -> String? {
        guard let name = xmlEncodingName(of: data), let encoding = encoding(named: name) else { return nil }
        return wideEncodings.contains(encoding) ? name : nil
    }

    private static let wideEncodings: Set<String.Encoding> = [
        .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian,
    ]

    /// Returns the name of the encoding in an XML declaration at the start of a text, in lowercase; nil if there is
    /// none.
    package static func xmlEncodingName(of data: Data) -> String? {
        // In Latin-1 every byte is a character, so this decoding cannot fail.
        guard let start = String(data: data.prefix(1024), encoding: .isoLatin1)?.lowercased(),
            start.hasPrefix("<?xml"), let end = start.range(of: "?>"),
            let found = start[..<end.lowerBound].range(of: "encoding")
        else { return nil }
        let rest = start[found.upperBound..<end.lowerBound].drop(while: \.isWhitespace)
        guard rest.first == "=" else { return nil }
        let word = rest.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
        let name = word.prefix { !$0.isWhitespace && !"\"';>?/".contains($0) }
        return name.isEmpty ? nil : String(name)
    }
}

extension URLResponse {
    /// The content type in lowercase, without parameters and spaces; nil if there is none.
    ///
    /// FoundationNetworking has an empty `mimeType` for an empty field, and keeps spaces before the semicolon.
    package var contentType: String? {
        guard let type = mimeType, !type.isEmpty else { return nil }
        // Nearly all types are already in this form, and trimming with Foundation is slow.
        if type.utf8.isPlainType { return type }
        let trimmed = ContentTypeField.mediaType(type)
        return trimmed.isEmpty ? nil : trimmed
    }

    /// The character encoding that the content type names; nil if it names none or an unknown one.
    ///
    /// FoundationNetworking's `textEncodingName` ignores a parameter whose name is not in lowercase.
    package var declaredEncoding: String.Encoding? {
        let field = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Type")
        let name = field.flatMap(ContentTypeField.charset) ?? textEncodingName
        return name.flatMap { Charset.encoding(named: $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\"'"))) }
    }
}

extension TaskResponse {
    /// The content type in lowercase, without parameters and spaces; nil if there is none.
    package var contentType: String? {
        guard let received, received.statusCode != nil else { return response?.contentType }
        guard let field = received.value(forField: "Content-Type") else { return nil }
        let type = field.utf8.prefix { $0 != UInt8(ascii: ";") }
        // Foundation reads an unusual value, for which the response's object is made.
        let isPlain = !type.isEmpty && type.isPlainType && !field.hasByte(UInt8(ascii: ","))
        return isPlain ? String(Substring(type)) : response?.contentType
    }

    /// The character encoding that the content type names; nil if it names none or an unknown one.
    package var declaredEncoding: String.Encoding? {
        // Most types have no parameter.
        if let field = header("Content-Type"), field.utf8.isPlainType, !field.hasByte(UInt8(ascii: ";")) { return nil }
        return response?.declaredEncoding
    }
}

extension Collection<UInt8> {
    /// Whether the bytes are printable ASCII without uppercase letters, commas and quotes.
    fileprivate var isPlainType: Bool {
        allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !(UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte)
                && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"")
        }
    }
}
