/// A limit on the bytes per second that downloads receive together, which can be changed while they run.
///
/// Each download that has the limit waits before it reads on, so that its servers have to wait too.
public final class TransferLimit: Sendable {
    private struct State: Sendable {
        var bytesPerSecond: Int?
        /// When the next bytes may be taken.
        var next = MonotonicTime(nanoseconds: 0)
    }

    private let state: Mutex<State>

    /// Creates a limit; a number below one counts as one, and nil is no limit.
    public init(bytesPerSecond: Int?) { state = Mutex(State(bytesPerSecond: bytesPerSecond.map { max(1, $0) })) }

    /// The most bytes per second, on average; nil for no limit.
    public var bytesPerSecond: Int? {
        get { state.withLock { $0.bytesPerSecond } }
        set { state.withLock { $0.bytesPerSecond = newValue.map { max(1, $0) } } }
    }

    /// The most bytes that are taken at once: those of a tenth of a second.
    var pieceSize: Int { bytesPerSecond.map { max(1, $0 / 10) } ?? .max }

    /// Returns how long to wait before bytes are taken, and counts them.
    func delay(for count: Int, at now: MonotonicTime) -> TimeSpan {
        state.withLock { state in
            guard let rate = state.bytesPerSecond else { return .zero }
            let start = max(state.next, now)
            state.next = start.advanced(by: TimeSpan(seconds: Double(count) / Double(rate)))
            return start.since(now)
        }
    }

    /// Waits until bytes may be taken.
    func take(_ count: Int) async throws {
        let delay = delay(for: count, at: .now())
        if delay > .zero { try await Task.sleep(nanoseconds: delay.nanoseconds) }
    }
}
