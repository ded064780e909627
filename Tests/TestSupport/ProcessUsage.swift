import Foundation

/// What the whole process uses; only a process of one's own can be measured so.
package enum ProcessUsage {
    /// Whether the thread sanitizer is there, whose own memory and time are in the way.
    package static let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

    /// How many threads there are.
    package static var threads: Int { names("/proc/self/task").count }

    /// How many threads the library's sessions have now, by their names.
    package static var ferryThreads: Int {
        names("/proc/self/task").filter { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name == "Ferry\n" || name == "Ferry body\n"
        }.count
    }

    /// How many file descriptors are open.
    package static var descriptors: Int { names("/proc/self/fd").count }

    /// Memory in use, in bytes, after freed pages were given back.
    package static var residentBytes: Int {
        trimHeap()
        return bytes("VmRSS")
    }

    /// The most memory that was in use at any time, or since the mark was set back, in bytes.
    package static var peakResidentBytes: Int { bytes("VmHWM") }

    /// Sets the mark of ``peakResidentBytes`` back to what is resident now.
    package static func resetPeak() throws {
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// Processor time of all threads, in seconds.
    package static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// How many bytes more than before were resident at the worst moment of `body`.
    package static func growth(of body: () async throws -> Void) async throws -> Int {
        try resetPeak()
        let before = bytes("VmRSS")
        try await body()
        return peakResidentBytes - before
    }

    /// How many seconds of processor time all threads together spent in `body`.
    package static func processorTime(of body: () async throws -> Void) async throws -> Double {
        let before = processorTime
        try await body()
        return processorTime - before
    }

    /// glibc's `malloc_trim`, whose header Foundation does not show.
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
