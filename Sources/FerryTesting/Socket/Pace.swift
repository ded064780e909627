import Foundation

/// A limit on bytes per second, in slices of a twentieth of a second.
struct Pace {
    let bytesPerSecond: Int?

    /// How many bytes may go at once.
    var sliceSize: Int {
        guard let bytesPerSecond else { return .max }
        return max(1, bytesPerSecond / 20)
    }

    /// Waits as long as `count` bytes are to take; false if the peer leaves.
    func wait(after count: Int, on socket: Socket) -> Bool {
        guard let bytesPerSecond else { return true }
        return socket.wait(TimeInterval(count) / TimeInterval(max(1, bytesPerSecond)))
    }
}
