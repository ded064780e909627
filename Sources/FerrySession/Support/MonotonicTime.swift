/// A point in time on the monotonic clock, in nanoseconds; unlike the date, it never jumps.
struct MonotonicTime: Comparable, Sendable {
    var nanoseconds: UInt64

    static func now() -> Self {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the nanoseconds since another time, or zero if that is later.
    func since(_ earlier: Self) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0
    }

    /// Returns the time `duration` nanoseconds earlier, clamped to zero.
    func before(_ duration: UInt64) -> Self { Self(nanoseconds: nanoseconds > duration ? nanoseconds - duration : 0) }

    /// Returns the time `duration` nanoseconds later, clamped to the largest value.
    func advanced(by duration: UInt64) -> Self {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration)
        return Self(nanoseconds: overflow ? .max : sum)
    }
}

extension UInt64 {
    /// Converts seconds to nanoseconds; `nil` for an interval that sets no limit.
    ///
    /// Such an interval is zero, negative, infinite, not a number, or at least 9e9 seconds. Both `URLRequest` and
    /// `URLSessionConfiguration` use such values for "no timeout".
    static func nanoseconds(inSeconds seconds: Double) -> UInt64? {
        guard seconds > 0, seconds.isFinite, seconds < 9e9 else { return nil }
        return UInt64(seconds * 1_000_000_000)
    }

    /// Converts the seconds that are left for a call to nanoseconds; the largest value sets no limit.
    ///
    /// Unlike a timeout, it is often computed as what is left of a longer time: zero and less mean that no time is left.
    static func deadline(inSeconds seconds: Double) -> UInt64 {
        seconds > 0 ? nanoseconds(inSeconds: seconds) ?? .max : 0
    }
}
