import Ferry

/// Carries the numbers of signals from their handler to whoever reads them.
///
/// A Dispatch source for signals loses what comes while it is being registered, since the signal is ignored by then.
enum SignalPipe {
    /// The pipe's ends, or `nil` where the process has no descriptors left.
    private static let ends: (reading: Int32, writing: Int32)? = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// Makes signals go into the pipe, and gives the end to read from; without a pipe they keep their actions.
    static func watch(_ numbers: [Int32]) -> Int32? {
        guard let ends else { return nil }
        for number in numbers {
            // The handler may only call what is safe in one: `write` is.
            signal(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(SignalPipe.ends?.writing ?? -1, &byte, 1)
                errno = saved
            }
        }
        return ends.reading
    }

    /// The signals that have come since the last call.
    static func signals(from descriptor: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map(Int32.init)
    }
}
