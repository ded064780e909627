/// A moment on the monotonic clock, in nanoseconds: unlike the date, it never jumps.
struct MonotonicTime: Comparable, Sendable {
    var nanoseconds: UInt64

    static func now() -> Self {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The nanoseconds since an earlier moment, zero when it is not earlier.
    func since(_ earlier: Self) -> UInt64 {
        nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0
    }

    /// The moment `duration` nanoseconds earlier, the beginning of time when that cannot be said.
    func before(_ duration: UInt64) -> Self {
        Self(nanoseconds: nanoseconds > duration ? nanoseconds - duration : 0)
    }

    /// The moment `duration` nanoseconds later, the end of time when that cannot be said.
    func advanced(by duration: UInt64) -> Self {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration)
        return Self(nanoseconds: overflow ? .max : sum)
    }
}

extension UInt64 {
    /// Seconds as nanoseconds, or `nil` for an interval that sets no limit: zero, negative, infinite or not a number.
    ///
    /// Both `URLRequest` and `URLSessionConfiguration` use such values for "no timeout".
    static func nanoseconds(inSeconds seconds: Double) -> UInt64? {
        guard seconds > 0, seconds.isFinite, seconds < 9e9 else { return nil }
        return UInt64(seconds * 1_000_000_000)
    }
}
