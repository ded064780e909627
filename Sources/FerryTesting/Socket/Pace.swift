import Foundation

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
