import Ferry

/// Checks that an XML text is well-formed (XML 1.0, fifth edition) before Foundation sees it.
///
/// FoundationXML on Linux is not made for foreign input. `XMLParser` stops the process at a processing instruction
/// without data, at a comment that is not UTF-8 and at many declarations; its `parse()` succeeds for texts that are cut
/// short. `XMLDocument` stops the process at an empty text and repairs what is malformed without a word. So what goes
/// there has gone through here.
///
/// Refused although XML has it: declarations in the document type other than entities of plain text. They can name files
/// and grow without bounds. There are limits for what libxml2 takes quadratic time or memory for, too.
struct XMLScanner {
    /// libxml2 builds trees of up to 256 levels and cuts off the rest.
    static let maximumDepth = 250

    /// How many attributes an element may have: libxml2 compares all of them with one another.
    static let maximumAttributes = 1_000

    /// How many namespaces may be declared at one place of the text: libxml2 looks through all of them for each element.
    static let maximumNamespaces = 1_000

    /// The largest name, in bytes.
    static let maximumNameSize = 1_024

    /// What has to be changed in the text before Foundation may see it.
    struct Edit {
        var range: Range<Int>
        var text: String
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var edits: [Edit] = []
    /// The entities by their names, with the size of the text that each stands for.
    var entities = Dictionary(uniqueKeysWithValues: ["lt", "gt", "amp", "apos", "quot"].map { (Array($0.utf8), 1) })
    /// How many bytes the references to entities may still stand for.
    var expansionLeft: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        expansionLeft = Self.maximumExpansion(of: bytes.count)
    }

    /// How many bytes all references of a text to its own entities may stand for: 8 MiB, or ten times the text where that
    /// is more.
    ///
    /// Since entities cannot refer to one another, text grows by many references to a long entity alone. Texts that are
    /// not made to do harm have a handful of short ones. libxml2 2.11 and later allow 1 MB, or five times the text.
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

    /// Every byte belongs to UTF-8 and to a character XML allows; only what markup needs is looked at later.
    private mutating func checkCharacters() throws(XMLParsingError) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw failure("The text is not UTF-8") }
        for (index, byte) in bytes.enumerated() {
            let isControl = byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
            // U+FFFE and U+FFFF are the only others.
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
    /// The byte at the position; nil at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Says whether a text is at the position.
    func sees(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    /// Goes past a text if it is there.
    mutating func take(_ text: StaticString) -> Bool {
        guard sees(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Goes past a text that has to be there.
    mutating func expect(_ text: StaticString) throws(XMLParsingError) {
        guard take(text) else { throw failure("\(text) should be here") }
    }

    /// Goes past the next occurrence of a text and gives what lies before it.
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

    /// Goes past white space and says whether there was any.
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
