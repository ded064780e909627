/// Splits the bytes of a JSON array (RFC 8259, section 5) into the texts of its elements.
///
/// Only the text between the elements is checked here: an element ends at a comma or bracket outside of its own strings
/// and brackets, and the decoder refuses an element that is not a value.
struct ElementSplitter: PieceSplitter {
    private enum Place {
        case beforeArray
        /// After the bracket, where the array may end.
        case start
        /// Before an element, after a comma.
        case comma
        case element
        case afterArray
    }

    /// The largest number of bytes in an element.
    let limit: Int
    private var place = Place.beforeArray
    private var buffer: [UInt8] = []
    /// The number of bytes of the buffer that have been read.
    private var position = 0
    /// The start of the element that is being read.
    private var start = 0
    private var nesting = JSONNesting()
    /// The bytes of a byte order mark that may still come before the array.
    private var mark: ArraySlice<UInt8> = [0xEF, 0xBB, 0xBF]

    init(limit: Int) { self.limit = max(0, limit) }

    mutating func append(_ piece: Data) {
        // Bytes that were read are removed once for each piece, not for each element.
        let taken = place == .element ? start : position
        buffer.removeFirst(taken)
        (start, position) = (0, position - taken)
        buffer.append(contentsOf: piece)
    }

    mutating func next() throws(URLError) -> Data? {
        while position < buffer.count {
            let byte = buffer[position]
            if place == .element {
                if let end = try endOfElement(byte) {
                    place = end
                    position += 1
                    return Data(buffer[start..<(position - 1)])
                }
            } else if !Self.isBlank(byte) {
                try begin(byte)
                if place == .element { continue }
            }
            position += 1
        }
        return nil
    }

    mutating func last() throws(URLError) -> Data? {
        guard place != .afterArray else { return nil }
        throw .ferry(.networkConnectionLost, url: nil, "The JSON array of the body was cut off")
    }

    /// Reads a byte outside of elements.
    private mutating func begin(_ byte: UInt8) throws(URLError) {
        switch (place, byte) {
        case (.beforeArray, UInt8(ascii: "[")) where [0, 3].contains(mark.count): place = .start
        case (.beforeArray, mark.first): mark.removeFirst()
        case (.start, UInt8(ascii: "]")): place = .afterArray
        case (.beforeArray, _): throw Self.malformed("The body does not begin with a JSON array")
        case (.afterArray, _): throw Self.malformed("Something follows the JSON array of the body")
        case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "]")):
            throw Self.malformed("An element of the JSON array of the body is missing")
        default: (place, start) = (.element, position)
        }
    }

    /// Reads a byte of an element, and returns the place after it if the byte is its end.
    private mutating func endOfElement(_ byte: UInt8) throws(URLError) -> Place? {
        if nesting.isOutside {
            if byte == UInt8(ascii: ",") { return .comma }
            if byte == UInt8(ascii: "]") { return .afterArray }
        }
        nesting.advance(past: byte)
        guard position - start < limit else {
            let text = "An element of the JSON array of the body is longer than \(limit) bytes"
            throw .ferry(.dataLengthExceedsMaximum, url: nil, reason: .responseTooLarge, text)
        }
        return nil
    }

    private static func malformed(_ text: String) -> URLError {
        .ferry(.cannotParseResponse, url: nil, reason: .malformedResponse, text)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
