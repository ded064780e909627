/// A tag of an XML property list.
package struct XMLPropertyListTag {
    /// The elements of property lists.
    package enum Element: String {
        case list = "plist"
        case array, dict, key, string, data, date, integer, real
        case yes = "true"
        case no = "false"

        /// The size of the longest name.
        package static let maximumLength = 7
    }

    package let element: Element
    /// Whether the element has no content and no closing tag, as `<array/>`.
    package let isEmpty: Bool
    package let start: Int
}

/// A reader of the tags and texts of an XML property list in UTF-8, from its beginning to its end.
package struct XMLPropertyListScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    // MARK: - Markup

    /// Skips white space, comments and processing instructions, including the XML declaration.
    package mutating func skipMarkup() throws(PropertyListParsingError) {
        while true {
            skipWhitespace()
            let start = position
            if take("<!--") {
                try skip(through: "-->", from: start)
            } else if take("<?") {
                try skip(through: "?>", from: start)
            } else {
                return
            }
        }
    }

    /// Skips a document type without definitions of its own.
    package mutating func skipDocumentType() throws(PropertyListParsingError) {
        _ = try skipTag("A document type", from: position, refusing: ("[", "A document type with definitions"))
    }

    /// Parses the opening tag of an element; its attributes are ignored.
    package mutating func openingTag() throws(PropertyListParsingError) -> XMLPropertyListTag {
        let start = position
        guard take("<") else {
            throw failure(peek() == nil ? "The list ends where an element is expected" : "Text between elements")
        }
        typealias Element = XMLPropertyListTag.Element
        let name = bytes[position...].prefix(Element.maximumLength + 1).prefix { byte in
            !Self.isWhitespace(byte) && byte != UInt8(ascii: "/") && byte != UInt8(ascii: ">")
        }
        guard name.count <= Element.maximumLength,
            let element = Element(rawValue: String(decoding: name, as: UTF8.self))
        else { throw failure("An unknown element", at: start) }
        position += name.count
        let isEmpty = try skipTag("A tag", from: start, refusing: ("<", "A tag inside another one"))
        return XMLPropertyListTag(element: element, isEmpty: isEmpty, start: start)
    }

    /// Skips the rest of a tag, and returns a Boolean value that indicates whether the element has no content.
    private mutating func skipTag(
        _ name: String,
        from start: Int,
        refusing refused: (character: Unicode.Scalar, reason: String)
    ) throws(PropertyListParsingError) -> Bool {
        var quote: UInt8?
        var isEmpty = false
        while let byte = peek() {
            position += 1
            switch byte {
            case _ where quote != nil: if byte == quote { quote = nil }
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: refused.character): throw failure(refused.reason, at: position - 1)
            case UInt8(ascii: ">"): return isEmpty
            default: break
            }
            isEmpty = byte == UInt8(ascii: "/") && quote == nil
        }
        throw failure("\(name) without an end", at: start)
    }

    /// Parses the closing tag of an element.
    package mutating func close(_ element: XMLPropertyListTag.Element) throws(PropertyListParsingError) {
        let start = position
        if take("</"), take(element.rawValue) {
            skipWhitespace()
            if take(">") { return }
        }
        throw failure("</\(element.rawValue)> is expected", at: start)
    }

    /// Skips the bytes up to the given end, and the end itself.
    private mutating func skip(through end: String, from start: Int) throws(PropertyListParsingError) {
        let first = end.utf8.first
        while let byte = peek() {
            if byte == first, take(end) { return }
            position += 1
        }
        throw failure("No \(end) before the end", at: start)
    }

    // MARK: - Text

    /// Parses the text of an element, with character data sections, and the closing tag.
    package mutating func text(of tag: XMLPropertyListTag) throws(PropertyListParsingError) -> String {
        guard !tag.isEmpty else { return "" }
        var text: [UInt8] = []
        var start = position
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "<"):
                text += bytes[start..<position]
                let sectionStart = position
                guard take("<![CDATA[") else {
                    try close(tag.element)
                    return String(decoding: text, as: UTF8.self)
                }
                let section = position
                try skip(through: "]]>", from: sectionStart)
                text += bytes[section..<position - 3]
                start = position
            case UInt8(ascii: "&"):
                text += bytes[start..<position]
                let scalar = try reference()
                text += String(scalar).utf8
                start = position
            default: position += 1
            }
        }
        throw failure("The list ends inside <\(tag.element.rawValue)>", at: tag.start)
    }

    /// Parses a reference to a character or to one of the five entities of XML.
    private mutating func reference() throws(PropertyListParsingError) -> Unicode.Scalar {
        let start = position
        if take("&lt;") { return "<" }
        if take("&gt;") { return ">" }
        if take("&amp;") { return "&" }
        if take("&quot;") { return "\"" }
        if take("&apos;") { return "'" }
        guard take("&#") else { throw failure("An unknown entity", at: start) }
        let radix = take("x") ? 16 : 10
        var number = 0
        var hasDigits = false
        while let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix {
            number = number * radix + digit
            // The greatest code point; more digits could overflow.
            guard number <= 0x10FFFF else { break }
            hasDigits = true
            position += 1
        }
        guard hasDigits, take(";"), let scalar = Unicode.Scalar(UInt32(number)) else {
            throw failure("A reference that is no character", at: start)
        }
        return scalar
    }

    /// Parses the content of an element that contains neither markup nor references, and the closing tag, and returns
    /// the content without white space at both ends.
    package mutating func word(
        of tag: XMLPropertyListTag
    ) throws(PropertyListParsingError) -> XMLPropertyListScalar.Content {
        guard !tag.isEmpty else { return bytes[position..<position] }
        skipWhitespace()
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "<") { position += 1 }
        var end = position
        try close(tag.element)
        while end > start, Self.isWhitespace(bytes[end - 1]) { end -= 1 }
        return bytes[start..<end]
    }

    // MARK: - Bytes

    package static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    package mutating func skipWhitespace() {
        while let byte = peek(), Self.isWhitespace(byte) { position += 1 }
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Returns a Boolean value that indicates whether the given text is next.
    package func isAt(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    /// Skips the given text if it is next, and returns a Boolean value that indicates whether it was.
    private mutating func take(_ text: String) -> Bool {
        guard isAt(text) else { return false }
        position += text.utf8.count
        return true
    }

    /// Returns an error with the line of a position, by default of the current one.
    package func failure(_ reason: String, at place: Int? = nil) -> PropertyListParsingError {
        let line = bytes[..<(place ?? position)].count { $0 == 0x0A } + 1
        return PropertyListParsingError("\(reason), in line \(line)")
    }
}
