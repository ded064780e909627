import Synchronization

/// A connected stream socket.
///
/// All calls block, and all of them return immediately after ``shutDown()``, which may be called on any thread. Only
/// the owner closes the socket.
struct Socket: Sendable {
    let descriptor: Int32
    let traffic: TrafficCounter

    /// Reads the bytes that have arrived, after waiting for the first one; zero means that the peer has disconnected.
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
    func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Shuts down the writing direction: the peer sees the end once it has read everything.
    func finishWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }
    func close() { _ = Glibc.close(descriptor) }
}

extension Socket {
    /// `POLLRDHUP`, which the system's header does not make available in Swift.
    private static let peerLeft: Int16 = 0x2000

    /// Waits for some seconds; returns false early if the peer disconnects or the server stops.
    ///
    /// A peer that shuts down its writing direction counts as disconnected, because HTTP clients do not half-close.
    func wait(_ seconds: TimeInterval) -> Bool {
        let deadline = MonotonicTime.now().advanced(by: TimeSpan(seconds: seconds))
        while true {
            let left = deadline.since(.now()).seconds
            guard left > 0 else { return true }
            if poll(for: Self.peerLeft, milliseconds: Int32(min(left * 1000 + 1, 3_600_000))) { return false }
        }
    }

    /// Waits until the peer disconnects or the server stops.
    func waitUntilPeerLeaves() {
        while !poll(for: Self.peerLeft, milliseconds: 60000) {}
    }

    /// Waits until the peer's system has acknowledged all data, so that a reset cannot overtake it.
    func waitUntilDelivered(timeout: TimeInterval = 5) {
        let deadline = MonotonicTime.now().advanced(by: TimeSpan(seconds: timeout))
        var queued: Int32 = 0
        while ioctl(descriptor, UInt(TIOCOUTQ), &queued) == 0, queued > 0, .now() < deadline {
            guard wait(0.001) else { return }
        }
    }

    /// Reads and discards data until the peer disconnects, so that closing resets no response that it has not read.
    func drain(timeout: TimeInterval) {
        let deadline = MonotonicTime.now().advanced(by: TimeSpan(seconds: timeout))
        withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 16) { scratch in
            while true {
                let left = deadline.since(.now()).seconds
                guard left > 0, poll(for: Int16(POLLIN), milliseconds: Int32(left * 1000 + 1)) else { return }
                guard read(into: scratch) > 0 else { return }
            }
        }
    }

    /// Whether data has arrived that has not been read.
    var hasUnreadBytes: Bool {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 0
    }

    /// Makes ``close()`` reset the connection instead of closing it in order.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func poll(for events: Int16, milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        return Glibc.poll(&entry, 1, milliseconds) > 0
    }
}

/// A limit on bytes per second, in slices of a twentieth of a second.
struct Pace {
    let bytesPerSecond: Int?

    /// The greatest number of bytes to transfer before waiting.
    var sliceSize: Int {
        guard let bytesPerSecond else { return .max }
        return max(1, bytesPerSecond / 20)
    }

    /// Waits for the time that `count` bytes should take; false if the peer disconnects.
    func wait(after count: Int, on socket: Socket) -> Bool {
        guard let bytesPerSecond else { return true }
        return socket.wait(TimeInterval(count) / TimeInterval(max(1, bytesPerSecond)))
    }
}

/// The number of bytes sent and received by a server's sockets.
final class TrafficCounter: Sendable {
    private let sentBytes = Atomic(0)
    private let receivedBytes = Atomic(0)

    var sent: Int { sentBytes.load(ordering: .relaxed) }
    var received: Int { receivedBytes.load(ordering: .relaxed) }
    func addSent(_ count: Int) { sentBytes.wrappingAdd(count, ordering: .relaxed) }
    func addReceived(_ count: Int) { receivedBytes.wrappingAdd(count, ordering: .relaxed) }
}
