import Foundation

extension Socket {
    /// `POLLRDHUP`, which the system's header does not make available in Swift.
    private static let peerLeft: Int16 = 0x2000

    /// Waits for some seconds; returns false early if the peer disconnects or the server stops.
    ///
    /// A peer that shuts down its writing direction counts as disconnected, because HTTP clients do not half-close.
    func wait(_ seconds: TimeInterval) -> Bool {
        let deadline = Monotonic.now + seconds
        while true {
            let left = deadline - Monotonic.now
            guard left > 0 else { return true }
            if poll(for: Self.peerLeft, milliseconds: Int32(min(left * 1000 + 1, 3_600_000))) { return false }
        }
    }

    /// Waits until the peer disconnects or the server stops.
    func waitUntilPeerLeaves() {
        while !poll(for: Self.peerLeft, milliseconds: 60000) {}
    }

    /// Whether the peer has disconnected; does not wait.
    var isPeerGone: Bool {
        poll(for: Self.peerLeft, milliseconds: 0)
    }

    /// Waits until the peer's system has acknowledged all data, so that a reset cannot overtake it.
    func waitUntilDelivered(timeout: TimeInterval = 5) {
        let deadline = Monotonic.now + timeout
        var queued: Int32 = 0
        while ioctl(descriptor, UInt(TIOCOUTQ), &queued) == 0, queued > 0, Monotonic.now < deadline {
            guard wait(0.001) else { return }
        }
    }

    /// Reads and discards data until the peer disconnects, so that closing does not reset a response it has not read.
    func drain(timeout: TimeInterval) {
        let deadline = Monotonic.now + timeout
        withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 16) { scratch in
            while true {
                let left = deadline - Monotonic.now
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
