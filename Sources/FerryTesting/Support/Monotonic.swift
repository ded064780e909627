import Foundation

/// The clock that no one sets.
enum Monotonic {
    /// Seconds since an arbitrary moment.
    static var now: TimeInterval {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
    }
}
