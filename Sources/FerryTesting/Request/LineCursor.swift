import Foundation

/// A cursor over the lines of a head.
struct LineCursor {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
    }

    /// Returns the next line without its line ending; nil after the last.
    mutating func next() throws(ProtocolViolation) -> UnsafeRawBufferPointer.SubSequence? {
        guard !rest.isEmpty else { return nil }
        guard let feed = rest.firstIndex(of: 10) else { throw ProtocolViolation("line without an end") }
        guard feed > rest.startIndex, rest[feed - 1] == 13 else { throw ProtocolViolation("bare line feed") }
        let line = rest[rest.startIndex..<feed - 1]
        rest = rest[(feed + 1)...]
        return line
    }
}
