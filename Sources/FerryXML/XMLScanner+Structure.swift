extension XMLScanner {
    /// Scans everything before the root element.
    mutating func scanProlog() throws(XMLParsingError) {
        if sees("<?xml"), position + 5 < bytes.count, Self.isSpace(bytes[position + 5]) { try scanDeclaration() }
        try scanMiscellaneous()
        if sees("<!DOCTYPE") {
            try scanDocumentType()
            try scanMiscellaneous()
        }
    }

    /// Scans white space, comments and processing instructions.
    mutating func scanMiscellaneous() throws(XMLParsingError) {
        while true {
            skipSpace()
            if sees("<!--") {
                try scanComment()
            } else if sees("<?") {
                try scanInstruction()
            } else {
                return
            }
        }
    }

    mutating func scanComment() throws(XMLParsingError) {
        try expect("<!--")
        _ = try skip(past: "--", in: "a comment")
        guard take(">") else {
            position -= 2
            throw failure("Two hyphens inside a comment")
        }
    }

    mutating func scanInstruction() throws(XMLParsingError) {
        try expect("<?")
        guard try string(scanName()).lowercased() != "xml" else {
            throw failure("An XML declaration that is not at the start")
        }
        if sees("?>") {
            // XMLParser crashes on a processing instruction without data; a space is enough to prevent that.
            edits.append(Edit(range: position..<position, text: " "))
        } else if !skipSpace() {
            throw failure("Expected white space")
        }
        _ = try skip(past: "?>", in: "a processing instruction")
    }

    private mutating func scanDeclaration() throws(XMLParsingError) {
        try expect("<?xml")
        skipSpace()
        try expect("version")
        let version = try scanAssigned()
        let minor = bytes[version].dropFirst(2)
        guard text(version).hasPrefix("1."), !minor.isEmpty, minor.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw failure("An unknown version of XML")
        }
        // The scanner accepts only XML 1.0, and libxml2 complains about other version numbers.
        edits.append(Edit(range: version, text: "1.0"))
        var hasSpace = skipSpace()
        if hasSpace, take("encoding") {
            let encoding = try scanAssigned()
            guard isEncodingName(encoding) else { throw failure("An encoding with an invalid name") }
            // The text was converted to UTF-8 before the scan.
            edits.append(Edit(range: encoding, text: "UTF-8"))
            hasSpace = skipSpace()
        }
        if hasSpace, take("standalone") {
            let standalone = text(try scanAssigned())
            guard ["yes", "no"].contains(standalone) else { throw failure("standalone is neither yes nor no") }
            isStandalone = standalone == "yes"
            skipSpace()
        }
        try expect("?>")
    }

    /// Returns whether a value is the name of an encoding (XML 1.0, production 81).
    private func isEncodingName(_ value: Range<Int>) -> Bool {
        let name = text(value).unicodeScalars
        guard let first = name.first, first.isASCII, first.properties.isAlphabetic else { return false }
        return name.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains(scalar))
        }
    }

    /// Scans an equals sign and a value in quotes, and returns the range of the value.
    private mutating func scanAssigned() throws(XMLParsingError) -> Range<Int> {
        skipSpace()
        try expect("=")
        skipSpace()
        return try scanLiteral()
    }

    private mutating func scanLiteral() throws(XMLParsingError) -> Range<Int> {
        if take("\"") { return try skip(past: "\"", in: "a value") }
        try expect("'")
        return try skip(past: "'", in: "a value")
    }

    private mutating func scanDocumentType() throws(XMLParsingError) {
        try expect("<!DOCTYPE")
        guard skipSpace() else { throw failure("Expected white space") }
        _ = try scanName()
        if skipSpace(), sees("SYSTEM") || sees("PUBLIC") {
            if take("PUBLIC") {
                guard skipSpace() else { throw failure("Expected white space") }
                try scanPublicIdentifier()
            } else {
                try expect("SYSTEM")
            }
            guard skipSpace() else { throw failure("Expected white space") }
            _ = try scanIdentifier()
            hasUnreadDeclarations = !isStandalone
            skipSpace()
        }
        if take("[") {
            try scanSubset()
            skipSpace()
        }
        try expect(">")
    }

    private mutating func scanIdentifier() throws(XMLParsingError) -> Range<Int> {
        let identifier = try scanLiteral()
        guard identifier.count <= Self.maximumIdentifierSize else {
            position = identifier.lowerBound
            throw failure("An identifier of more than \(Self.maximumIdentifierSize) bytes")
        }
        return identifier
    }

    private mutating func scanPublicIdentifier() throws(XMLParsingError) {
        let identifier = text(try scanIdentifier())
        let others = Set(" \r\n-'()+,./:=?;!*#@$_%".unicodeScalars)
        let isPublic = identifier.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber || others.contains(scalar))
        }
        guard isPublic else { throw failure("A public identifier with invalid characters") }
    }

    /// Scans the internal subset of the document type, in which only entities of plain text are allowed.
    private mutating func scanSubset() throws(XMLParsingError) {
        while true {
            try scanMiscellaneous()
            if take("]") { return }
            guard sees("<!ENTITY") else { throw failure("A declaration that is not allowed in a document type") }
            try scanEntity()
        }
    }

    private mutating func scanEntity() throws(XMLParsingError) {
        try expect("<!ENTITY")
        guard skipSpace() else { throw failure("Expected white space") }
        guard !sees("%") else { throw failure("Parameter entities are not allowed") }
        let name = try scanName()
        guard skipSpace(), sees("\"") || sees("'") else { throw failure("External entities are not allowed") }
        let value = try scanLiteral()
        let markup = Array("<&%]".utf8)
        guard !bytes[value].contains(where: markup.contains) else {
            throw failure("Entities other than plain text are not allowed")
        }
        skipSpace()
        try expect(">")
        // The first of several declarations of an entity is binding (XML 1.0, section 4.2).
        guard entities[name] == nil else { return }
        entities[name] = Entity(size: value.count, content: content(of: value))
    }

    /// Returns the text of an entity for an element: with `>` escaped, since brackets may precede it there.
    ///
    /// Bytes are compared, since `>` with a combining mark is another `Character`.
    private func content(of value: Range<Int>) -> String {
        var content: [UInt8] = []
        for byte in bytes[value] {
            if byte == UInt8(ascii: ">") { content += "&gt;".utf8 } else { content.append(byte) }
        }
        return String(decoding: content, as: UTF8.self)
    }

    mutating func scanElements() throws(XMLParsingError) {
        var open: [Element] = []
        repeat {
            if sees("</") {
                position += 2
                let name = try scanName()
                guard name == open.last?.name else {
                    throw failure("End tag of \(string(name)) inside \(open.last.map { string($0.name) } ?? "nothing")")
                }
                open.removeLast()
                skipSpace()
                try expect(">")
            } else if sees("<!--") {
                try scanComment()
            } else if !open.isEmpty, take("<![CDATA[") {
                _ = try skip(past: "]]>", in: "a CDATA section")
            } else if sees("<?") {
                try scanInstruction()
            } else if sees("<") {
                guard open.count < Self.maximumDepth else { throw failure("More than \(Self.maximumDepth) levels") }
                let (element, isOpen) = try scanStartTag(namespaces: open.last?.namespaces ?? 0)
                if isOpen { open.append(element) }
            } else if !open.isEmpty, sees("&") {
                try scanReference(inContent: true)
            } else {
                try scanCharacters(inside: open.last?.name)
            }
        } while !open.isEmpty
    }

    private mutating func scanCharacters(inside element: [UInt8]?) throws(XMLParsingError) {
        guard let element else { throw failure("Expected the root element") }
        guard next != nil else { throw failure("The text ends inside \(string(element))") }
        while let byte = next, byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&") {
            if byte == UInt8(ascii: "]"), sees("]]>") { throw failure("]]> outside a CDATA section") }
            position += 1
        }
    }

    private struct Element {
        let name: [UInt8]
        /// The number of namespaces declared by this element and the elements that contain it.
        var namespaces: Int
    }

    /// Scans a start tag and returns its element, which is open unless the tag is an empty-element tag.
    private mutating func scanStartTag(namespaces: Int) throws(XMLParsingError) -> (Element, isOpen: Bool) {
        try expect("<")
        var element = Element(name: try scanName(), namespaces: namespaces)
        var attributes: Set<[UInt8]> = []
        while true {
            let hasSpace = skipSpace()
            if take("/>") { return (element, false) }
            if take(">") { return (element, true) }
            guard hasSpace else { throw failure("Expected white space or the end of the tag") }
            let attribute = try scanName()
            guard attributes.insert(attribute).inserted else {
                throw failure("The attribute \(string(attribute)) occurs twice")
            }
            guard attributes.count <= Self.maximumAttributes else {
                throw failure("More than \(Self.maximumAttributes) attributes")
            }
            if attribute.starts(with: "xmlns".utf8) { element.namespaces += 1 }
            guard element.namespaces <= Self.maximumNamespaces else {
                throw failure("More than \(Self.maximumNamespaces) namespaces")
            }
            skipSpace()
            try expect("=")
            skipSpace()
            try scanAttributeValue()
        }
    }

    private mutating func scanAttributeValue() throws(XMLParsingError) {
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw failure("Expected a value in quotes")
        }
        position += 1
        while let byte = next {
            switch byte {
            case quote:
                position += 1
                return
            case UInt8(ascii: "<"): throw failure("< inside a value")
            case UInt8(ascii: "&"): try scanReference(inContent: false)
            default: position += 1
            }
        }
        throw failure("The text ends inside a value")
    }

    private func string(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
}
