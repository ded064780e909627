import Foundation

/// What this process takes of the machine: for child processes that do one thing.
package enum Footprint {
    /// How many bytes more than before were resident at the worst moment of `body`.
    package static func growth(of body: () async throws -> Void) async throws -> Int {
        // 5 sets the high-water mark back to what is resident now.
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        let before = try bytes("VmRSS")
        try await body()
        return try bytes("VmHWM") - before
    }

    /// How many seconds of processor time all threads together spent in `body`.
    package static func processorTime(of body: () async throws -> Void) async throws -> Double {
        let before = clock()
        try await body()
        return Double(clock() - before) / Double(CLOCKS_PER_SEC)
    }

    private static func bytes(_ name: String) throws -> Int {
        let status = try String(contentsOf: URL(fileURLWithPath: "/proc/self/status"), encoding: .utf8)
        guard
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("\(name):") }),
            let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw CocoaError(.fileReadCorruptFile) }
        return kibibytes * 1024
    }
}
