/// Splits the bytes of a stream into the texts of NDJSON, which end with a line feed, or of a JSON text sequence, each
/// of which begins with a record separator (RFC 7464, whose sections are named below).
///
/// A text of a sequence ends at the next separator, or at a line feed after its complete value.
struct RecordSplitter: PieceSplitter {
    private static let separator: UInt8 = 0x1E
    private static let lineFeed = UInt8(ascii: "\n")

    /// The largest number of bytes in a text.
    let limit: Int
    private var buffer: [UInt8] = []
    /// The start of the next text.
    private var start = 0
    /// Where the search for its end goes on.
    private var searched = 0
    /// The place of the search, in a text of a sequence.
    private var place = Place()
    /// Whether the stream is a sequence of texts with separators; `nil` before the first byte that is not blank.
    private var isSequence: Bool?

    init(limit: Int) { self.limit = max(0, limit) }

    mutating func append(_ piece: Data) {
        // Texts that were returned are removed once for each piece, not one by one.
        buffer.removeFirst(start)
        (start, searched) = (0, searched - start)
        buffer.append(contentsOf: piece)
    }

    /// Returns the next whole text without blanks around it, or `nil` if there is none yet; throws a `URLError` with
    /// the code `dataLengthExceedsMaximum` if a text is longer than the limit.
    mutating func next() throws(URLError) -> Data? {
        while let end = try end() {
            // A line feed is kept: in a sequence, it shows that a number at the end of a text is complete.
            let bytes = buffer[start..<(buffer[end] == Self.lineFeed ? end + 1 : end)]
            (start, searched, place) = (end + 1, end + 1, Place())
            let text = Self.trimmed(bytes)
            if !text.isEmpty, !mayBeCutOff(text, bytes) { return Data(text) }
        }
        return nil
    }

    /// Returns whether a text of a sequence may be cut off, so that a reader must drop it (section 2.4).
    ///
    /// That is a number or a word without a blank after it. Other texts that are cut off are not valid JSON.
    private func mayBeCutOff(_ text: ArraySlice<UInt8>, _ bytes: ArraySlice<UInt8>) -> Bool {
        guard isSequence == true, let first = text.first, bytes.last.map(Self.isBlank) != true else { return false }
        let isNumber = first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
        return isNumber || ["true", "false", "null"].contains { $0.utf8.starts(with: text) }
    }

    /// Returns the last text, which may lack its end, after the last piece was appended; throws a `URLError` with the
    /// code `networkConnectionLost` if the text of a sequence was cut off.
    mutating func last() throws(URLError) -> Data? {
        defer { (buffer, start, searched) = ([], 0, 0) }
        let bytes = buffer[start...]
        let text = Self.trimmed(bytes)
        guard let last = text.last else { return nil }
        let isClosed =
            bytes.last.map(Self.isBlank) == true
            || [UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\"")].contains(last)
        guard isSequence != true || isClosed else {
            throw .ferry(.networkConnectionLost, url: nil, "A text of a JSON text sequence was cut off")
        }
        return Data(text)
    }

    /// Returns the index of the end of the next text.
    private mutating func end() throws(URLError) -> Int? {
        if isSequence == nil { skipBlanks() }
        let rest = buffer[searched...]
        let end = isSequence == true ? rest.firstIndex { place.ends(at: $0) } : rest.firstIndex(of: Self.lineFeed)
        searched = end ?? buffer.count
        guard searched - start <= limit else {
            let text = "A JSON text of the body is longer than \(limit) bytes"
            throw .ferry(.dataLengthExceedsMaximum, url: nil, reason: .responseTooLarge, text)
        }
        return end
    }

    /// Skips blanks before the first text, and determines whether the stream is a sequence.
    private mutating func skipBlanks() {
        start = buffer[start...].firstIndex { !Self.isBlank($0) } ?? buffer.count
        if start < buffer.count {
            isSequence = buffer[start] == Self.separator
            if isSequence == true { start += 1 }
        }
        searched = start
    }

    /// A place in a text of a sequence.
    private struct Place {
        private var nesting = JSONNesting()
        private var hasBegun = false

        /// Advances past a byte, and returns whether the text ends before it.
        mutating func ends(at byte: UInt8) -> Bool {
            if byte == separator { return true }
            if byte == lineFeed, nesting.isOutside { return hasBegun }
            nesting.advance(past: byte)
            if !isBlank(byte) { hasBegun = true }
            return false
        }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = text.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? text.startIndex
        return text[..<end].drop(while: isBlank)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
