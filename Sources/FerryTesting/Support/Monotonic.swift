import Foundation

/// The monotonic clock, which is never set.
enum Monotonic {
    /// The number of seconds since an arbitrary point in time.
    static var now: TimeInterval {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
    }
}
