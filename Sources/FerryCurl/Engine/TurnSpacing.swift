/// When the engine waits a moment before its next turn, so that more can be received at once: a value without side
/// effects.
///
/// From a network that is slower than the processor, a large body arrives in pieces of a few kilobytes. A turn for each
/// of them, with the threads that it wakes, takes several times as long as to copy the bytes.
package struct TurnSpacing {
    /// The time that the engine waits, in milliseconds.
    package static let pause: Int32 = 4
    /// The number of bytes of a transfer for which a turn is worthwhile.
    package static let enough = 65_536
    /// The number of bytes of a body from which a transfer is a large one, which need not be received at once.
    package static let large = ByteCount(clamping: 1_048_576)
    /// Turns that follow each other more slowly do not take much time.
    private static let closeSpan = TimeSpan.milliseconds(UInt64(2 * pause))

    private var received = 0
    private var lastTurn = MonotonicTime(nanoseconds: 0)

    package init() {}

    /// Counts bytes that were received in the current turn.
    package mutating func add(_ count: Int) {
        let (sum, isTooMuch) = received.addingReportingOverflow(count)
        received = isTooMuch ? .max : sum
    }

    /// Ends a turn, and begins to count again.
    ///
    /// - Parameters:
    ///   - start: When the turn began.
    ///   - transfers: The number of transfers that are active.
    /// - Returns: Whether the turn came soon after the one before it, and received too little to be worthwhile.
    package mutating func endTurn(begunAt start: MonotonicTime, transfers: Int) -> Bool {
        defer { (received, lastTurn) = (0, start) }
        guard received > 0, start.since(lastTurn) < Self.closeSpan else { return false }
        return received < Self.enough * min(transfers, 64)
    }
}
