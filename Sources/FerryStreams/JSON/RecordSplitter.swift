/// Splits the bytes of a stream into the texts of NDJSON, which end with a line feed, or of a JSON text sequence, each
/// of which begins with a record separator (RFC 7464).
struct RecordSplitter {
    private static let separator: UInt8 = 0x1E
    private static let lineFeed = UInt8(ascii: "\n")

    /// The largest number of bytes in a text.
    let limit: Int
    private var buffer = Data()
    /// How much of the buffer has been searched for the end of a text.
    private var searched = 0
    /// Whether the stream is a sequence of texts with separators; `nil` before the first byte.
    private var isSequence: Bool?

    init(limit: Int) { self.limit = max(0, limit) }

    /// Adds a piece, after all texts of the pieces before have been taken.
    mutating func append(_ piece: Data) { buffer.append(piece) }

    /// Returns the next whole text without blanks around it; `nil` if there is none yet.
    ///
    /// - Throws: A `URLError` with the code `dataLengthExceedsMaximum` if a text is longer than the limit.
    mutating func next() throws(URLError) -> Data? {
        while let end = try end() {
            let text = Self.trimmed(buffer[buffer.startIndex..<end])
            buffer = Data(buffer[(end + 1)...])
            searched = 0
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// Returns the last text, if it has no end; call this after the last piece.
    ///
    /// - Throws: A `URLError` with the code `networkConnectionLost` if the text of a sequence was cut off.
    mutating func last() throws(URLError) -> Data? {
        defer { buffer = Data() }
        let text = Self.trimmed(buffer)
        guard !text.isEmpty else { return nil }
        // Section 2.4: a number or a word without a line feed may be the beginning of another one.
        let isClosed =
            buffer.last == Self.lineFeed
            || [UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\"")].contains(text.last)
        guard isSequence != true || isClosed else {
            throw .ferry(.networkConnectionLost, url: nil, "The last text of a JSON text sequence was cut off")
        }
        return text
    }

    /// Returns the index of the end of the next text.
    private mutating func end() throws(URLError) -> Data.Index? {
        if isSequence == nil, let first = buffer.first(where: { !Self.isBlank($0) }) {
            isSequence = first == Self.separator
            // What comes before the first separator is no text.
            if isSequence == true, let index = buffer.firstIndex(of: Self.separator) {
                buffer = Data(buffer[(index + 1)...])
            }
        }
        let mark = isSequence == true ? Self.separator : Self.lineFeed
        let start = buffer.startIndex
        let end = buffer[(start + searched)...].firstIndex(of: mark)
        searched = end.map { $0 - start } ?? buffer.count
        guard searched <= limit else {
            let text = "A JSON text of the body is longer than \(limit) bytes"
            throw .ferry(.dataLengthExceedsMaximum, url: nil, reason: .responseTooLarge, text)
        }
        return end
    }

    private static func trimmed(_ text: Data) -> Data {
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return Data() }
        return Data(text[first...last])
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
