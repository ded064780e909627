import Foundation

/// A connected stream socket.
///
/// All calls block, and all of them return immediately after ``shutDown()``, which may be called on any thread. Only
/// the owner closes the socket.
struct Socket: Sendable {
    let descriptor: Int32
    let traffic: TrafficCounter

    /// Reads what has arrived, waiting for the first byte; zero means that the peer has disconnected.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 {
                traffic.addReceived(count)
                return count
            }
            if errno != EINTR { return 0 }
        }
    }

    /// Writes all bytes; false means that the peer has disconnected.
    ///
    /// `hasMore` indicates that more data follows immediately, so that small writes share a packet.
    func write(_ bytes: UnsafeRawBufferPointer, hasMore: Bool = false) -> Bool {
        let flags = Int32(MSG_NOSIGNAL) | (hasMore ? Int32(MSG_MORE) : 0)
        var rest = bytes
        while !rest.isEmpty {
            let count = send(descriptor, rest.baseAddress, rest.count, flags)
            if count > 0 {
                traffic.addSent(count)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }

    func write(_ bytes: [UInt8], hasMore: Bool = false) -> Bool {
        bytes.withUnsafeBytes { write($0, hasMore: hasMore) }
    }

    func write(_ data: Data, hasMore: Bool = false) -> Bool {
        data.withUnsafeBytes { write($0, hasMore: hasMore) }
    }

    /// Shuts down both directions: the peer sees the end, blocked calls return, and the descriptor stays open.
    func shutDown() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Shuts down the writing direction: the peer sees the end once it has read everything.
    func finishWriting() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        _ = Glibc.close(descriptor)
    }
}
