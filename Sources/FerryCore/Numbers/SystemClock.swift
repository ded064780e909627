/// The system's clocks, which all other code of the library reads here.
///
/// A simulation replaces them for its whole process, as it replaces libcurl (`ferry_use_library`). For the sessions in
/// it, an hour passes as soon as nothing is left to do before its end. Tests/SimulationTests does that.
package enum SystemClock {
    package typealias Reading = @convention(c) (clockid_t, UnsafeMutablePointer<timespec>?) -> Int32

    /// The function that replaces the system's clocks; set it before the first session is made.
    @exclusivity(unchecked) nonisolated(unsafe) package static var replacement: Reading?

    package static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        if let replacement { _ = replacement(clock, &time) } else { clock_gettime(clock, &time) }
        return time
    }

    /// The function that replaces the system's timers; set it together with ``replacement``.
    @exclusivity(unchecked) nonisolated(unsafe) package static var sleepReplacement:
        (@Sendable (TimeSpan) async throws -> Void)?

    /// Waits for a time, without a thread; throws a `CancellationError` as soon as the Swift task is cancelled.
    package static func sleep(_ time: TimeSpan) async throws {
        if let sleepReplacement { return try await sleepReplacement(time) }
        // A time of centuries would overflow when it is added to the present time.
        try await Task.sleep(nanoseconds: min(time.nanoseconds, 1_000_000_000_000_000_000))
    }
}

extension Date {
    /// The current date of the clocks that Ferry reads.
    package static var current: Date {
        guard SystemClock.replacement != nil else { return Date() }
        let time = SystemClock.read(CLOCK_REALTIME)
        return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
}
