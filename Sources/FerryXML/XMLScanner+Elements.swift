import Ferry

extension XMLScanner {
    /// Scans the root element and its contents.
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
                try scanReference()
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
            case UInt8(ascii: "&"): try scanReference()
            default: position += 1
            }
        }
        throw failure("The text ends inside a value")
    }

    private func string(_ name: [UInt8]) -> String {
        String(decoding: name, as: UTF8.self)
    }
}
