/// A buffer for the received bytes of a connection that are not used yet; used only on the connection's thread.
final class ByteReader {
    private let socket: Socket
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    /// The total number of bytes read from the socket.
    private(set) var received = 0

    init(socket: Socket) {
        self.socket = socket
        storage = .allocate(byteCount: 16384, alignment: 16)
    }

    deinit { storage.deallocate() }

    /// The buffered bytes; valid until the next call of a method.
    var available: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[start..<end])
    }

    var isEmpty: Bool { start == end }

    /// Waits for more bytes and appends them to the buffer; false at the end of the stream.
    func fill() -> Bool {
        makeRoom()
        let count = socket.read(into: UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
        end += count
        received += count
        return count > 0
    }

    func consume(_ count: Int) {
        start = min(start + count, end)
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Reads into `buffer`, bypassing the internal one, for long bodies; call it only when the internal buffer is
    /// empty.
    func readDirectly(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = socket.read(into: buffer)
        received += count
        return count
    }

    private func makeRoom() {
        guard end == storage.count else { return }
        if start > 0 {
            storage.copyMemory(from: available)
        } else {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: storage.count * 2, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(storage))
            storage.deallocate()
            storage = larger
        }
        end -= start
        start = 0
    }
}

extension ByteReader {
    /// Waits for a complete head and parses it; nil if the client disconnects first.
    func readHead(limit: Int) throws(ProtocolViolation) -> RequestHead? {
        guard let length = try headLength(limit: limit) else { return nil }
        let head = try RequestHead(parsing: UnsafeRawBufferPointer(rebasing: available[..<length]))
        consume(length)
        return head
    }

    /// Waits for the next line and returns it without its line ending; nil if the client disconnects first.
    ///
    /// A line of more than `limit` bytes, including its line ending, is a violation with `excess` as the reason.
    func readLine(limit: Int, excess: String = "line too long") throws(ProtocolViolation) -> [UInt8]? {
        var searched = 0
        while true {
            if let feed = available[searched...].firstIndex(of: 10) {
                guard feed < limit else { throw ProtocolViolation(excess) }
                let line = Array(available[..<feed])
                consume(feed + 1)
                guard line.last == 13 else { throw ProtocolViolation("bare line feed") }
                return line.dropLast()
            }
            searched = available.count
            guard searched <= limit else { throw ProtocolViolation(excess) }
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
                    if lineStart > 0 {
                        guard feed < limit else { throw Self.headTooLarge }
                        return feed + 1
                    }
                    // An empty line before the request line must be ignored (RFC 9112 section 2.2).
                    consume(feed + 1)
                    searched = 0
                    continue search
                }
                lineStart = feed + 1
                searched = lineStart
            }
            // Bytes of another protocol may never contain a line feed.
            if let first = bytes.first, first != 13, !HeaderRule.isTokenByte(first) {
                throw ProtocolViolation(first == 0x16 ? Self.handshake : "malformed method")
            }
            searched = bytes.count
            guard searched <= limit else { throw Self.headTooLarge }
            guard fill() else { return nil }
        }
    }

    private static let handshake = "TLS handshake received, but the server speaks plain HTTP only"
    private static let headTooLarge = ProtocolViolation("header fields too large", status: 431)

    private static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 10, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
