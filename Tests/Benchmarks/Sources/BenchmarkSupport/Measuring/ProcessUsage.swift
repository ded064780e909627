import Foundation

/// The resources that this process uses.
public enum ProcessUsage {
    /// The seconds of the monotonic clock.
    public static var monotonic: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The seconds of processor time used by all threads so far.
    public static var cpu: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The peak number of resident bytes.
    public static var peakMemory: Int { status("VmHWM") * 1024 }

    /// The current number of resident bytes.
    public static var memory: Int { status("VmRSS") * 1024 }

    /// The current number of resident bytes of files.
    public static var fileMemory: Int { status("RssFile") * 1024 }

    /// The current number of threads.
    public static var threads: Int { status("Threads") }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }

    /// Reads a value with plain system calls, so that measuring uses hardly any memory.
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
