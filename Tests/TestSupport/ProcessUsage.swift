import Foundation

/// The resource usage of the whole process, meaningful only in a process that runs a single test, such as an exit test.
package enum ProcessUsage {
    /// Whether the process runs with the thread sanitizer, whose own memory and time would distort measurements.
    package static let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

    /// The number of threads.
    package static var threads: Int { names("/proc/self/task").count }

    /// The number of threads of the library's sessions, recognized by their names.
    package static var ferryThreads: Int { ferryTasks.count }

    /// The processor time of these threads, in seconds: unlike that of the process, it does not depend on what else
    /// runs.
    package static var ferryProcessorTime: Double {
        ferryTasks.reduce(0) { sum, task in
            let text = (try? String(contentsOfFile: "/proc/self/task/\(task)/stat", encoding: .utf8)) ?? ""
            // After the name, which ends with a parenthesis, the twelfth and thirteenth fields are in ticks.
            let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
            let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
            return sum + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    /// The numbers of these threads.
    package static var ferryTasks: [String] {
        names("/proc/self/task").filter { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name == "Ferry\n" || name == "Ferry body\n"
        }
    }

    /// The number of open file descriptors, without those for timers: libdispatch opens one for each clock at its first
    /// use, and keeps it.
    package static var descriptors: Int {
        names("/proc/self/fd").count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target != "anon_inode:[timerfd]"
        }
    }

    /// The resident memory in bytes, after freed pages have been returned to the system.
    package static var residentBytes: Int {
        trimHeap()
        return bytes("VmRSS")
    }

    /// The peak resident memory in bytes, since the start of the process or the last ``resetPeak()``.
    package static var peakResidentBytes: Int { bytes("VmHWM") }

    /// Resets ``peakResidentBytes`` to the memory that is resident now.
    package static func resetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The processor time of all threads, in seconds.
    package static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns by how many bytes the resident memory grew at the peak during `body`.
    package static func growth(of body: () async throws -> Void) async throws -> Int {
        try resetPeak()
        let before = bytes("VmRSS")
        try await body()
        return peakResidentBytes - before
    }

    /// Calls glibc's `malloc_trim`, which Foundation does not export.
    private static func trimHeap() {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") else { return }
        let trim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
        _ = trim(0)
    }

    private static func bytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
        return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    private static func names(_ path: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }
}
