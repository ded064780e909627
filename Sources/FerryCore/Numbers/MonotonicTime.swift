/// A point in time on the monotonic clock, in nanoseconds; unlike the date, it never jumps.
package struct MonotonicTime: Comparable, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static func now() -> Self {
        let time = SystemClock.read(CLOCK_MONOTONIC)
        return Self(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the time since another one, or zero if that is later.
    package func since(_ earlier: Self) -> TimeSpan {
        TimeSpan(nanoseconds: nanoseconds > earlier.nanoseconds ? nanoseconds - earlier.nanoseconds : 0)
    }

    /// Returns the time that is earlier by a span, clamped to zero.
    package func before(_ span: TimeSpan) -> Self {
        Self(nanoseconds: nanoseconds > span.nanoseconds ? nanoseconds - span.nanoseconds : 0)
    }

    /// Returns the time that is later by a span, clamped to the largest value.
    package func advanced(by span: TimeSpan) -> Self {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(span.nanoseconds)
        return Self(nanoseconds: overflow ? .max : sum)
    }
}
