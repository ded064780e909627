import Ferry

/// A scanner that checks that an XML text is well-formed (XML 1.0, fifth edition) before Foundation parses it.
///
/// FoundationXML on Linux is not safe for untrusted input. `XMLParser` crashes the process on a processing instruction
/// without data, on a comment that is not UTF-8 and on many declarations; its `parse()` succeeds for truncated texts.
/// `XMLDocument` crashes the process on an empty text and silently repairs malformed texts. Therefore every text is
/// scanned first.
///
/// Declarations in the document type other than entities of plain text are rejected, although XML allows them: they can
/// name files and expand without bounds. There are also limits where libxml2 needs quadratic time or memory.
struct XMLScanner {
    /// The maximum number of nested elements: libxml2 builds trees of up to 256 levels and drops deeper ones.
    static let maximumDepth = 250

    /// The maximum number of attributes of an element: libxml2 compares all of them with one another.
    static let maximumAttributes = 1_000

    /// The maximum number of namespaces in scope of an element: libxml2 searches all of them for each element.
    static let maximumNamespaces = 1_000

    /// The maximum size of a name, in bytes.
    static let maximumNameSize = 1_024

    /// A change that must be made in the text before Foundation parses it.
    struct Edit {
        var range: Range<Int>
        var text: String
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var edits: [Edit] = []
    /// The size in bytes of the replacement text of each entity, by the entity's name.
    var entities = Dictionary(uniqueKeysWithValues: ["lt", "gt", "amp", "apos", "quot"].map { (Array($0.utf8), 1) })
    /// The number of bytes to which further entity references may expand.
    var expansionLeft: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        expansionLeft = Self.maximumExpansion(of: bytes.count)
    }

    /// Returns the number of bytes to which all entity references of a text may expand.
    ///
    /// It is 8 MiB, or ten times the size of the text if that is more. Since entities cannot refer to one another, a
    /// text can grow only by many references to a long entity; harmless texts have a few short entities. libxml2 2.11
    /// and later allow 1 MB, or five times the text.
    static func maximumExpansion(of size: Int) -> Int {
        let (tenfold, isTooLarge) = size.multipliedReportingOverflow(by: 10)
        return max(8_388_608, isTooLarge ? .max : tenfold)
    }

    /// Checks the whole text.
    mutating func scan() throws(XMLParsingError) {
        try checkCharacters()
        try scanProlog()
        try scanElements()
        try scanMiscellaneous()
        guard position == bytes.count else { throw failure("Text after the root element") }
    }

    /// Checks that the text is UTF-8 and has only characters that XML allows, so that later only markup is checked.
    private mutating func checkCharacters() throws(XMLParsingError) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw failure("The text is not valid UTF-8") }
        for (index, byte) in bytes.enumerated() {
            let isControl = byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
            // U+FFFE and U+FFFF are the only other characters that are not allowed.
            let isNoncharacter =
                byte == 0xEF && index + 2 < bytes.count && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
            if isControl || isNoncharacter {
                position = index
                throw failure("A character that XML does not allow")
            }
        }
    }
}

extension XMLScanner {
    /// The byte at the position; `nil` at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Returns whether a text is at the position.
    func sees(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    /// Skips a text if it is at the position, and returns whether it was.
    mutating func take(_ text: StaticString) -> Bool {
        guard sees(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Skips a text, and throws if it is not at the position.
    mutating func expect(_ text: StaticString) throws(XMLParsingError) {
        guard take(text) else { throw failure("Expected \(text)") }
    }

    /// Skips to the end of the next occurrence of a text, and returns the range before that occurrence.
    mutating func skip(past text: StaticString, in what: String) throws(XMLParsingError) -> Range<Int> {
        let start = position
        while position < bytes.count {
            if sees(text) {
                let range = start..<position
                position += text.utf8CodeUnitCount
                return range
            }
            position += 1
        }
        throw failure("The text ends inside \(what)")
    }

    /// Skips white space, and returns whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while let byte = next, Self.isSpace(byte) { position += 1 }
        return position > start
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    func failure(_ reason: String) -> XMLParsingError {
        let before = bytes[..<min(position, bytes.count)]
        let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return XMLParsingError(reason: reason, line: before.count { $0 == 0x0A } + 1, column: column)
    }
}
