import Ferry

/// A pipe that carries the numbers of signals out of their handler.
///
/// A Dispatch source for signals loses signals that arrive while it is being registered, because they are ignored then.
enum SignalPipe {
    /// The ends of the pipe, or `nil` if it cannot be created because the process has no descriptors left.
    private static let ends: (reading: Int32, writing: Int32)? = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// Installs handlers that write signals into the pipe, and returns the end to read from.
    ///
    /// Without a pipe, returns `nil` and leaves the actions of the signals unchanged.
    static func watch(_ numbers: [Int32]) -> Int32? {
        guard let ends else { return nil }
        for number in numbers {
            // A handler may call only async-signal-safe functions, such as `write`.
            signal(number) { number in
                let saved = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(SignalPipe.ends?.writing ?? -1, &byte, 1)
                errno = saved
            }
        }
        return ends.reading
    }

    /// Returns the signals that have arrived since the last call, at most 64.
    static func signals(from descriptor: Int32) -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map(Int32.init)
    }
}
