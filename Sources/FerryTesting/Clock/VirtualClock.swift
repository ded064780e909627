/// A clock whose time passes only when a test advances it.
///
/// ```swift
/// let clock = VirtualClock()
/// let retry = Task {
///     try await clock.sleep(for: .seconds(60))
///     return clock.date
/// }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// #expect(try await retry.value == Date(timeIntervalSince1970: 60))
/// ```
///
/// Pass it to code that takes a `Clock`, and ``date`` to code that takes a function that returns the date:
/// `{ clock.date }`. It can be used on any thread.
public final class VirtualClock: Clock {
    /// A point in time of a ``VirtualClock``.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created, within about 36 billion years.
        public let offset: Duration

        /// Longer times count as this one, because arithmetic with durations traps when it overflows.
        static let limit = Duration.seconds(1 << 60)

        init(_ offset: Duration) { self.offset = Self.limited(offset) }

        /// Returns the instant after a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset + Self.limited(duration)) }

        /// Returns the duration from this instant to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether an instant is before another one.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        private static func limited(_ duration: Duration) -> Duration { min(max(duration, .zero - limit), limit) }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(.zero)
        /// The sleepers by number, in the order in which they fell asleep.
        var sleepers: [Int: Sleeper] = [:]
        var nextNumber = 0
    }

    /// The date at which ``now`` was zero.
    private let start: Date
    private let state = Mutex(State())

    /// Creates a clock that stands still.
    ///
    /// - Parameter date: The initial date; the beginning of 1970 in UTC by default.
    public init(date: Date = Date(timeIntervalSince1970: 0)) { start = date }

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// The current date.
    public var date: Date { start.addingTimeInterval(now.offset / .seconds(1)) }

    /// A nanosecond; sleepers are resumed exactly at their deadline.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the clock has been advanced to a deadline.
    ///
    /// - Parameters:
    ///   - deadline: The instant to wait for; one in the past returns immediately.
    ///   - tolerance: It has no effect.
    /// - Throws: `CancellationError` immediately after the task is cancelled, whatever the time of the clock.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Void, any Error>? in
                    guard deadline > state.now else { return .success(()) }
                    // The handler below may have been called before there is a sleeper.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the clock, and resumes everything whose deadline has been reached.
    ///
    /// Sleepers are resumed in the order of their deadlines, and at the same deadline in the order in which they fell
    /// asleep; ``now`` is then the new time. A task that sleeps repeatedly must fall asleep again before the next call;
    /// ``waitForSleepers(_:timeout:)`` waits for that.
    ///
    /// - Parameter duration: The duration; a negative one has no effect.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            let now = max(state.now, state.now.advanced(by: duration))
            state.now = now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}

extension VirtualClock {
    /// The number of tasks that sleep.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until at least `count` tasks sleep.
    ///
    /// - Parameters:
    ///   - count: The number of tasks.
    ///   - timeout: The number of real seconds to wait; 10 by default.
    /// - Throws: ``VirtualClockError/timedOut(_:)``, or `CancellationError` if the task is cancelled.
    public func waitForSleepers(_ count: Int, timeout: TimeInterval = 10) async throws {
        let deadline = MonotonicTime.now().advanced(by: TimeSpan(seconds: timeout))
        while sleeperCount < count {
            guard .now() < deadline else {
                throw VirtualClockError.timedOut("waited for \(count) sleepers, saw \(sleeperCount)")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// An error of a ``VirtualClock``.
public enum VirtualClockError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A test waited for something that did not happen in time; the text describes what was expected and what was seen.
    case timedOut(String)

    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .timedOut(let text): "Timed out: \(text)."
        }
    }
}
