/// The turns that examine all transfers, because libcurl may have forgotten something.
///
/// A turn continues the transfers whose sockets are ready or whose timers have ended. What libcurl forgets would wait
/// until something else happens, a minute or longer:
/// - libcurl before 8.4 may lose a timer that ends within a millisecond of a turn's beginning: it treats it as one that
///   the turn has served (curl #11937). The timer may be for a response in its buffers, or for a body that need not
///   wait any longer for `100 Continue`.
/// - libcurl from 8.4 to 8.14 may leave bytes of an HTTP/2 connection in the TLS library when a stream has read as much
///   as it may at once. It expects that stream to continue; if the stream is paused or cancelled, no other one does.
///
/// So a turn in which something has happened is followed by one that examines all transfers, a millisecond later.
/// Examining many takes long, and happens less often for them.
package struct AdditionalTurns {
    /// The first version of libcurl that is not known to forget anything.
    private static let firstFixedVersion = 0x08_0F_00
    /// The time, in milliseconds, between a turn and the additional one.
    private static let delay: UInt64 = 1
    /// The number of transfers that are examined in about a hundredth of the delay.
    private static let transfersPerDelay: UInt64 = 40

    private let areNeeded: Bool
    /// The time when the next additional turn begins; `nil` if nothing has happened since the last one.
    package private(set) var time: MonotonicTime?
    /// Whether something has happened in the current turn, or has begun it.
    package var isEventful = true
    /// The number of turns in a row in which libcurl has called no function.
    var quietTurns = 0

    package init(versionNumber: Int) { areNeeded = versionNumber < Self.firstFixedVersion }

    /// Begins a turn, and returns whether it is an additional one, which examines all transfers; `isAwaited` is whether
    /// a socket or a command has ended the wait before it.
    package mutating func beginTurn(at now: MonotonicTime, isAwaited: Bool) -> Bool {
        let isAdditional = time.map { $0 <= now } ?? false
        if isAdditional { time = nil }
        // Otherwise a timer has ended the wait.
        isEventful = isAwaited || !isAdditional
        return isAdditional
    }

    package mutating func endTurn(at now: MonotonicTime, transfers: Int) {
        quietTurns += 1
        guard areNeeded, isEventful, time == nil else { return }
        let delay = Self.delay * max(1, UInt64(transfers) / Self.transfersPerDelay)
        time = now.advanced(by: .milliseconds(delay))
    }
}
