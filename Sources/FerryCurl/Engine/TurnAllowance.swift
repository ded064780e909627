/// The time for decoding and for very small pieces in one turn of the engine: a value without side effects.
///
/// All transfers of the session share it, since a few bytes can cause much work: to decode an empty frame of eight
/// bytes takes as long as to decode a kilobyte of text. The rest waits for the next turn, so that a hostile server
/// delays the other transfers by milliseconds.
package struct TurnAllowance {
    /// The time of all transfers together.
    package static let ofAll = TimeSpan.milliseconds(4)
    /// The time after which a transfer lets the others go first.
    package static let ofOne = TimeSpan.milliseconds(1)
    /// The same time if very many transfers wait: about as long as a single step of a decoder takes.
    private static let minimumOfOne = TimeSpan(nanoseconds: 100_000)

    /// The number of bytes of long responses to `CONNECT` that may be read, in some tens of milliseconds.
    private static let ofTunnels = 65_536

    private var left = Self.ofAll
    private var tunnelBytes = Self.ofTunnels
    private let maximumShare: TimeSpan

    /// Makes the allowance of a turn in which a number of transfers wait.
    ///
    /// If there are many, each has a shorter time, so that the last of them waits for only a few turns.
    package init(sharedBy count: Int = 1) {
        let equal = TimeSpan(nanoseconds: Self.ofAll.nanoseconds / UInt64(max(1, count)))
        maximumShare = min(Self.ofOne, max(Self.minimumOfOne, equal))
    }

    /// The time that a transfer may use now.
    package var share: TimeSpan { min(left, maximumShare) }

    package mutating func spend(_ time: TimeSpan) { left -= time }

    /// Counts a byte of a long response to `CONNECT`, and returns whether it may still be read.
    package mutating func takeTunnelByte() -> Bool {
        guard tunnelBytes > 0 else { return false }
        tunnelBytes -= 1
        return true
    }
}

/// Counts what one transfer receives in a turn of the engine: the small pieces of a response, and large ones.
///
/// libcurl calls back for each line of a head, and for each chunk of a body, even if it has one byte, and reads on
/// while a fast server keeps the socket full.
package struct ReceivedPieces {
    /// The largest size of a piece that takes less time to copy than its callback takes, in bytes.
    package static let largestSmall = 1_024
    /// The number of pieces after which the clock is read again; most responses have fewer.
    private static let betweenLooks = 64
    /// The bytes of large pieces after which other transfers come first; to copy them takes about half a millisecond.
    private static let largeBytes = 524_288

    private var count = 0
    private var turn = MonotonicTime(nanoseconds: 0)
    private var start = MonotonicTime(nanoseconds: 0)
    private var lastLook = MonotonicTime(nanoseconds: 0)
    /// The bytes of large pieces in a turn, and when that turn began.
    private var (bytes, bytesTurn) = (0, MonotonicTime(nanoseconds: 0))

    /// Adds a large piece, and returns whether the rest has to wait for other transfers.
    package mutating func addLarge(_ count: Int, in turn: MonotonicTime) -> Bool {
        if turn != bytesTurn { (bytes, bytesTurn) = (0, turn) }
        bytes += count
        return bytes >= Self.largeBytes
    }

    /// Adds pieces, and returns whether the rest has to wait because the transfer's share of the turn is used.
    package mutating func add(_ more: Int, in turn: MonotonicTime, _ allowance: inout TurnAllowance) -> Bool {
        count += more
        guard count >= Self.betweenLooks else { return false }
        count = 0
        let now = MonotonicTime.now()
        if turn != self.turn { (self.turn, start, lastLook) = (turn, now, now) }
        allowance.spend(now.since(lastLook))
        lastLook = now
        return now.since(start) >= TurnAllowance.ofOne || allowance.share == .zero
    }
}
