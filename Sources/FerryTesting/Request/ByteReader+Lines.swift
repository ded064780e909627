import Foundation

extension ByteReader {
    /// Waits for a complete head and calls `body` with it; nil if the client disconnects before.
    func readHead<Result>(
        limit: Int,
        _ body: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Result
    ) throws(ProtocolViolation) -> Result? {
        guard let length = try headLength(limit: limit) else { return nil }
        let result = try body(UnsafeRawBufferPointer(rebasing: available[..<length]))
        consume(length)
        return result
    }

    /// Waits for the next line and returns it without its line ending; nil if the client disconnects before.
    func readLine(limit: Int) throws(ProtocolViolation) -> [UInt8]? {
        var searched = 0
        while true {
            if let feed = available[searched...].firstIndex(of: 10) {
                let line = Array(available[..<feed])
                consume(feed + 1)
                guard line.last == 13 else { throw ProtocolViolation("bare line feed") }
                return line.dropLast()
            }
            searched = available.count
            guard searched <= limit else { throw ProtocolViolation("line too long") }
            guard fill() else { return nil }
        }
    }

    /// Returns the length of the head, including its final empty line.
    private func headLength(limit: Int) throws(ProtocolViolation) -> Int? {
        var lineStart = 0
        var searched = 0
        search: while true {
            let bytes = available
            while let feed = Self.lineFeed(in: bytes, from: searched) {
                if feed == lineStart || (feed == lineStart + 1 && bytes[lineStart] == 13) {
                    if lineStart > 0 { return feed + 1 }
                    // An empty line before the request line must be ignored (RFC 9112 section 2.2).
                    consume(feed + 1)
                    searched = 0
                    continue search
                }
                lineStart = feed + 1
                searched = lineStart
            }
            searched = bytes.count
            guard searched <= limit else { throw ProtocolViolation("header fields too large", status: 431) }
            guard fill() else { return nil }
        }
    }

    private static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 10, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
