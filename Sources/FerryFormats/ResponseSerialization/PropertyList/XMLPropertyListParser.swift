/// A parser for XML property lists.
///
/// Foundation's reader takes quadratic time (Swift 6.3). Its dictionaries hash only some characters of a key, always in
/// the same way, so 10,000 keys of 200 bytes can take 0.7 s and 20,000 take 2.7 s; 100 keys of combining marks, in a
/// list of 1 MB, take 1.8 s. It also returns empty data for invalid base64. Dictionaries of Swift hash whole keys, with
/// a seed for each process.
///
/// The parser accepts what Foundation's accepts, except for tags that are not well-formed, data that is not base64,
/// dates that do not exist or are before the year 1, character references without a number, and a property list inside
/// another one. In addition, white space may follow a number. The document type has no declarations of its own, so no
/// entities are defined.
package struct XMLPropertyListParser {
    package static let maximumDepth = BinaryPropertyListParser.maximumDepth

    private var scanner: XMLPropertyListScanner

    /// Creates a parser for a text in UTF-8.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        scanner = XMLPropertyListScanner(bytes)
    }

    /// Parses the list; as in Foundation's reader, `<plist>` may be missing, and text after the list is ignored.
    package mutating func parse() throws(PropertyListParsingError) -> PropertyListValue {
        try scanner.skipMarkup()
        if scanner.isAt("<!DOCTYPE") {
            try scanner.skipDocumentType()
            try scanner.skipMarkup()
        }
        let tag = try scanner.openingTag()
        guard tag.element == .list else { return try value(of: tag, depth: 0) }
        guard let first = try nextTag(in: tag) else {
            throw scanner.failure("A property list without a value", at: tag.start)
        }
        let result = try value(of: first, depth: 0)
        try scanner.skipMarkup()
        try scanner.close(.list)
        return result
    }

    private mutating func value(
        of tag: XMLPropertyListTag,
        depth: Int
    ) throws(PropertyListParsingError) -> PropertyListValue {
        switch tag.element {
        case .array: return .array(try elements(of: tag, depth: depth))
        case .dict: return Self.dictionary(try members(of: tag, depth: depth))
        case .key, .string: return .string(try scanner.text(of: tag))
        case .yes, .no:
            scanner.skipWhitespace()
            if !tag.isEmpty { try scanner.close(tag.element) }
            return .bool(tag.element == .yes)
        case .data, .date, .integer, .real:
            guard let value = XMLPropertyListScalar.value(of: try scanner.word(of: tag), in: tag.element) else {
                throw scanner.failure("A value that is not valid in <\(tag.element.rawValue)>", at: tag.start)
            }
            return value
        case .list: throw scanner.failure("A property list inside another one", at: tag.start)
        }
    }

    private mutating func elements(
        of tag: XMLPropertyListTag,
        depth: Int
    ) throws(PropertyListParsingError) -> [PropertyListValue] {
        try checkDepth(depth, of: tag)
        var elements: [PropertyListValue] = []
        while let element = try nextTag(in: tag) { elements.append(try value(of: element, depth: depth + 1)) }
        return elements
    }

    /// Parses the members of a dictionary; if a key occurs more than once, its last value is used.
    private mutating func members(
        of tag: XMLPropertyListTag,
        depth: Int
    ) throws(PropertyListParsingError) -> [String: PropertyListValue] {
        try checkDepth(depth, of: tag)
        var members: [String: PropertyListValue] = [:]
        while let keyTag = try nextTag(in: tag) {
            guard keyTag.element == .key else { throw scanner.failure("A value without a key", at: keyTag.start) }
            let key = try scanner.text(of: keyTag)
            if let reason = key.keyRefusal(in: members) { throw scanner.failure(reason, at: keyTag.start) }
            guard let valueTag = try nextTag(in: tag) else {
                throw scanner.failure("A key without a value", at: keyTag.start)
            }
            members[key] = try value(of: valueTag, depth: depth + 1)
        }
        return members
    }

    /// Parses the opening tag of the next element inside another one; `nil` after that one's closing tag.
    private mutating func nextTag(in tag: XMLPropertyListTag) throws(PropertyListParsingError) -> XMLPropertyListTag? {
        guard !tag.isEmpty else { return nil }
        try scanner.skipMarkup()
        guard scanner.isAt("</") else { return try scanner.openingTag() }
        try scanner.close(tag.element)
        return nil
    }

    private func checkDepth(_ depth: Int, of tag: XMLPropertyListTag) throws(PropertyListParsingError) {
        guard depth < Self.maximumDepth else {
            throw scanner.failure("More than \(Self.maximumDepth) levels", at: tag.start)
        }
    }

    /// Returns a dictionary, or the reference inside a keyed archive that it stands for.
    private static func dictionary(_ members: [String: PropertyListValue]) -> PropertyListValue {
        guard members.count == 1, case .integer(let number)? = members["CF$UID"], number >= 0 else {
            return .dictionary(members)
        }
        return .uid(UInt64(number))
    }
}
