/// The rule by which the engine waits before its next turn, to receive more at once: a value without side effects.
///
/// From a network that is slower than the processor, a large body arrives in pieces of a few kilobytes. A turn for each
/// of them, with the threads that it wakes, takes several times as long as to copy the bytes. Pauses must not slow down
/// a server that stops sending until its bytes have been received, as one with a small buffer does, so the engine
/// pauses only as long as it receives nearly as much in the same time as without pauses.
package struct TurnSpacing {
    /// The time that the engine waits, in milliseconds.
    package static let pause: Int32 = 8
    /// The number of bytes of a transfer for which a turn is worthwhile.
    package static let enough: Int64 = 196_608
    /// The number of bytes of a body from which a transfer is large, so that a delay of 8 ms does not matter.
    package static let large = ByteCount(clamping: 1_048_576)
    /// Turns that follow each other more slowly do not take much time.
    private static let closeSpan = TimeSpan.milliseconds(UInt64(2 * pause))
    /// The time over which a rate is measured.
    private static let window = TimeSpan.milliseconds(UInt64(3 * pause))
    /// The relative difference up to which two rates count as equal.
    private static let tolerance = 0.1
    /// The least and the greatest number of windows until a decision is reviewed, which doubles while it holds.
    private static let (minimumWindows, maximumWindows) = (4, 256)

    private enum Phase {
        /// The rate without pauses is measured for a window.
        case measuring
        /// The engine pauses in this window, whose rate decides on the next ones.
        case trying
        /// The engine pauses, or does not, for a number of windows.
        case decided(pauses: Bool, left: Int)
    }

    private var phase = Phase.measuring
    /// The bytes of the current turn, and of the turns of the current window.
    private var (received, windowBytes) = (ByteCount.zero, ByteCount.zero)
    private var (lastTurn, windowStart) = (MonotonicTime(nanoseconds: 0), MonotonicTime(nanoseconds: 0))
    /// The last rate that was measured without pauses, in bytes a nanosecond.
    private var freeRate = 0.0
    /// The last decision, and for how many windows an equal one would hold.
    private var (pauses, patience) = (true, Self.minimumWindows)

    package init() {}

    /// Counts bytes that were received in the current turn.
    package mutating func add(_ count: Int) { received.add(ByteCount(clamping: count)) }

    /// Ends a turn, and begins to count again; returns whether the engine is to pause: the turn came soon after the one
    /// before it, received too little to be worthwhile, and pauses do not slow down the server.
    package mutating func endTurn(begunAt start: MonotonicTime, transfers: Int) -> Bool {
        defer { (received, lastTurn) = (.zero, start) }
        guard start.since(lastTurn) < Self.closeSpan else {
            (windowStart, windowBytes) = (start, .zero)
            return false
        }
        windowBytes.add(received)
        let span = start.since(windowStart)
        if span >= Self.window {
            endWindow(rate: Double(windowBytes.int64) / Double(span.nanoseconds))
            (windowStart, windowBytes) = (start, .zero)
        }
        return mayPause && received > .zero && received.int64 < Self.enough * Int64(min(transfers, 64))
    }

    private var mayPause: Bool {
        switch phase {
        case .measuring: false
        case .trying: true
        case .decided(let pauses, _): pauses
        }
    }

    private mutating func endWindow(rate: Double) {
        switch phase {
        case .measuring:
            freeRate = rate
            phase = .trying
        case .trying:
            decide(pauses: rate >= freeRate * (1 - Self.tolerance))
        case .decided(pauses: true, _) where abs(rate - freeRate) > freeRate * Self.tolerance:
            // The server has become slower or faster.
            (phase, patience) = (.measuring, Self.minimumWindows)
        case .decided(let pauses, let left):
            phase = left > 1 ? .decided(pauses: pauses, left: left - 1) : .measuring
        }
    }

    private mutating func decide(pauses: Bool) {
        patience = pauses == self.pauses ? min(patience * 2, Self.maximumWindows) : Self.minimumWindows
        self.pauses = pauses
        phase = .decided(pauses: pauses, left: patience)
    }
}
