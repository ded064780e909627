/// Splits text that arrives in pieces into lines, which end with a line feed, a carriage return, or both.
package struct LineSplitter {
    /// The largest number of bytes in a line.
    let limit: Int
    private var buffer: [UInt8] = []
    /// The start of the next line.
    private var start = 0
    /// The position at which the search for the end of the next line continues.
    private var searched = 0
    /// Whether a line feed at ``start`` belongs to the line before.
    private var followsReturn = false

    package init(limit: Int) { self.limit = max(0, limit) }

    /// Adds a piece, after all lines of the pieces before have been taken.
    package mutating func append(_ piece: Data) {
        buffer.removeFirst(start)
        (start, searched) = (0, searched - start)
        buffer.append(contentsOf: piece)
    }

    /// Returns the next complete line, without its end, or `nil` if there is none yet; throws a `URLError` with the
    /// code `dataLengthExceedsMaximum` if a line is longer than the limit.
    package mutating func next() throws(URLError) -> String? {
        if followsReturn, start < buffer.count {
            followsReturn = false
            if buffer[start] == UInt8(ascii: "\n") { start += 1 }
            searched = max(searched, start)
        }
        let end = buffer[searched...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        searched = end ?? buffer.count
        guard searched - start <= limit else {
            let text = "A line of the body is longer than \(limit) bytes"
            throw .ferry(.dataLengthExceedsMaximum, url: nil, reason: .responseTooLarge, text)
        }
        guard let end else { return nil }
        defer {
            followsReturn = buffer[end] == UInt8(ascii: "\r")
            (start, searched) = (end + 1, end + 1)
        }
        return String(decoding: buffer[start..<end], as: UTF8.self)
    }

    /// Returns the last line, if it has no end; call this after the last piece.
    package mutating func last() -> String? {
        defer { (buffer, start, searched) = ([], 0, 0) }
        return start < buffer.count ? String(decoding: buffer[start...], as: UTF8.self) : nil
    }
}
