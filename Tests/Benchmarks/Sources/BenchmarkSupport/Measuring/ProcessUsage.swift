import Foundation

/// What this process takes of the machine.
public enum ProcessUsage {
    /// Seconds of a clock that only goes forward.
    public static var monotonic: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The seconds of processor time of all threads so far.
    public static var cpu: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The bytes that were resident at the worst moment.
    public static var peakMemory: Int { status("VmHWM") * 1024 }

    /// The bytes that are resident now.
    public static var memory: Int { status("VmRSS") * 1024 }

    /// The bytes of files that are resident now.
    public static var fileMemory: Int { status("RssFile") * 1024 }

    /// How many threads there are now.
    public static var threads: Int { status("Threads") }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    /// Reads with plain calls, so that looking takes no memory worth mentioning.
    private static func status(_ name: String) -> Int {
        let descriptor = open("/proc/self/status", O_RDONLY)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { return 0 }
            let text = String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }
}
