import FerrySession

/// What the whole process uses; only a process of one's own can be measured so.
enum ProcessUsage {
    /// How many threads have a name that begins with "Ferry".
    static var ferryThreads: Int {
        names("/proc/self/task").filter { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name?.hasPrefix("Ferry") == true
        }.count
    }

    static var descriptors: Int { names("/proc/self/fd").count }

    /// Memory in use, in bytes, after freed pages were given back.
    static var residentBytes: Int {
        trimHeap()
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
    }

    /// Processor time of all threads, in seconds.
    static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// glibc's `malloc_trim`, whose header Foundation does not show.
    private static func trimHeap() {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") else { return }
        let trim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
        _ = trim(0)
    }

    private static func names(_ path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }
}
