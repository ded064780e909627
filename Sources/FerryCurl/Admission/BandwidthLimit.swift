/// A limit on the bytes per second of the bodies of all transfers that have it, which can be changed while they run.
///
/// ```swift
/// var options = CurlSession.Options()
/// options.downloadLimit = BandwidthLimit(bytesPerSecond: 2_000_000)
/// ```
///
/// A transfer over the limit moves no bytes until the average rate is met again, so that its server has to wait; its
/// time limit of inactivity waits too. A transfer with a download limit has a connection of its own and uses HTTP/1.1,
/// since a server goes on sending on a stream of HTTP/2. The transfers of several sessions and tasks may have the same
/// limit. Header fields do not count, and neither do bodies that a cache serves.
public final class BandwidthLimit: Sendable {
    private struct State: Sendable {
        var bytesPerSecond: Int?
        /// The time when the next bytes may be taken.
        var next = MonotonicTime(nanoseconds: 0)
    }

    private let state: Mutex<State>

    /// Creates a limit; a number below one counts as one, and `nil` is no limit.
    public init(bytesPerSecond: Int?) { state = Mutex(State(bytesPerSecond: bytesPerSecond.map { max(1, $0) })) }

    /// The maximum number of bytes per second, on average, raised to 1 if it is less; `nil` for no limit.
    ///
    /// A change takes effect within half a second, also for transfers that wait.
    public var bytesPerSecond: Int? {
        get { state.withLock { $0.bytesPerSecond } }
        set { change(to: newValue, at: .now()) }
    }

    /// Changes the rate; the wait for bytes that were already taken is computed for the new rate.
    package func change(to bytesPerSecond: Int?, at now: MonotonicTime) {
        state.withLock { state in
            let rates = (old: state.bytesPerSecond, new: bytesPerSecond.map { max(1, $0) })
            state.bytesPerSecond = rates.new
            guard let old = rates.old, let new = rates.new else {
                state.next = now
                return
            }
            let wait = TimeSpan(seconds: state.next.since(now).seconds * Double(old) / Double(new))
            state.next = now.advanced(by: wait)
        }
    }

    /// The largest number of bytes to take at once: the limit for a tenth of a second.
    package var pieceSize: Int { bytesPerSecond.map { max(1, $0 / 10) } ?? .max }

    /// Returns how long to wait until bytes may be taken.
    package func delay(at now: MonotonicTime) -> TimeSpan { state.withLock { $0.next.since(now) } }

    /// Counts bytes, and returns how long they had to wait.
    @discardableResult
    package func take(_ count: Int, at now: MonotonicTime) -> TimeSpan {
        state.withLock { state in
            guard let rate = state.bytesPerSecond else { return .zero }
            let start = max(state.next, now)
            state.next = start.advanced(by: TimeSpan(seconds: Double(count) / Double(rate)))
            return start.since(now)
        }
    }

    /// Waits until bytes may be taken, and counts them.
    package func take(_ count: Int) async throws {
        let delay = take(count, at: .now())
        if delay > .zero { try await SystemClock.sleep(delay) }
    }
}
