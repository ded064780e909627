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
    /// The maximum size of a public or system identifier, in bytes: libxml2 drops the elements after a longer one.
    static let maximumIdentifierSize = 50_000

    /// A change that must be made in the text before Foundation parses it.
    struct Edit {
        var range: Range<Int>
        var text: String
    }

    /// An entity that references can name.
    struct Entity {
        /// The size of its text, in bytes.
        var size: Int
        /// The text that replaces a reference in content; `nil` for a predefined entity, such as `&lt;`, which is kept.
        var content: String?
    }

    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether the XML declaration excludes declarations outside of the text (`standalone`).
    var isStandalone = false
    /// Whether the document type names further declarations, which are never read.
    var hasUnreadDeclarations = false
    var position = 0
    var edits: [Edit] = []
    /// The entities by their names.
    var entities = Dictionary(
        uniqueKeysWithValues: ["lt", "gt", "amp", "apos", "quot"].map { (Array($0.utf8), Entity(size: 1)) }
    )
    /// The number of bytes to which further entity references may expand.
    var expansionLeft: Int
    /// The number of bytes to which the references in attributes expand.
    var attributeExpansion = 0

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

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func failure(_ reason: String) -> XMLParsingError {
        let before = bytes[..<min(position, bytes.count)]
        let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return XMLParsingError(reason: reason, line: before.count { $0 == 0x0A } + 1, column: column)
    }

    /// Scans a name (XML 1.0, production 5) and returns it.
    ///
    /// Names are byte arrays, since string comparison would treat the precomposed and the decomposed é as equal, which
    /// XML does not.
    mutating func scanName() throws(XMLParsingError) -> [UInt8] {
        let start = position
        while let (scalar, length) = scalar(), Self.isName(scalar, isFirst: position == start) { position += length }
        guard position > start else { throw failure("Expected a name") }
        guard position - start <= Self.maximumNameSize else {
            throw failure("A name of more than \(Self.maximumNameSize) bytes")
        }
        return Array(bytes[start..<position])
    }

    /// Returns the character at the position and its length in bytes; the text was checked to be UTF-8.
    private func scalar() -> (UInt32, Int)? {
        guard let first = next else { return nil }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard length > 1 else { return (UInt32(first), 1) }
        guard position + length <= bytes.count else { return nil }
        let start = UInt32(first) & (0x7F >> UInt32(length))
        return (bytes[position + 1..<position + length].reduce(start) { $0 << 6 | UInt32($1 & 0x3F) }, length)
    }

    private static func isName(_ scalar: UInt32, isFirst: Bool) -> Bool {
        switch scalar {
        case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D,
            0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF,
            0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        case 0x30...0x39, 0x2D, 0x2E, 0xB7, 0x300...0x36F, 0x203F...0x2040:
            !isFirst
        default:
            false
        }
    }

    /// Scans a reference, `&name;` or `&#number;`.
    ///
    /// In content, a reference to a declared entity is replaced by the entity's text, since `XMLParser` on Linux drops
    /// this text, and the text after an empty entity too. A reference to an entity that may be declared elsewhere is
    /// kept as text, since both of Foundation's parsers would drop it.
    mutating func scanReference(inContent: Bool) throws(XMLParsingError) {
        let start = position
        try expect("&")
        if take("#") {
            let radix = take("x") ? 16 : 10
            let digits = try skip(past: ";", in: "a reference")
            guard !text(digits).hasPrefix("+"), let number = UInt32(text(digits), radix: radix),
                Self.isCharacter(number)
            else {
                position = start
                throw failure("A reference to an invalid character")
            }
        } else {
            let name = try scanName()
            try expect(";")
            guard let entity = entities[name] else {
                if hasUnreadDeclarations {
                    edits.append(Edit(range: start..<start + 1, text: "&amp;"))
                    return
                }
                position = start
                throw failure("The entity \(String(decoding: name, as: UTF8.self)) is not declared")
            }
            expansionLeft -= entity.size
            guard expansionLeft >= 0 else {
                position = start
                throw failure("The entities expand to more than \(Self.maximumExpansion(of: bytes.count)) bytes")
            }
            if !inContent {
                attributeExpansion += entity.size
            } else if let content = entity.content {
                edits.append(Edit(range: start..<position, text: content))
                escapeFollowingEnd()
            }
        }
    }

    /// Escapes a `>` after the text of an entity, since the brackets of `]]>` may be in it or before it.
    private mutating func escapeFollowingEnd() {
        let end = sees("]>") ? position + 1 : position
        if end < bytes.count, bytes[end] == UInt8(ascii: ">") { edits.append(Edit(range: end..<end + 1, text: "&gt;")) }
    }

    private static func isCharacter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
