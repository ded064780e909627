import FerrySession
import Foundation

@testable import FerryCache
@testable import FerryCore

/// Measures a cache on disk with more and more responses of 1 KB, and prints a row for each number of them.
@main struct Main {
    static func main() throws {
        let sizes = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let titles = [
            "entries", "store", "longest", "hit", "evict", "replace", "first find, store", "sweep", "remove all",
            "memory",
        ]
        print("| " + titles.joined(separator: " | ") + " |")
        print("| " + titles.map { _ in "---" }.joined(separator: " | ") + " |")
        for size in sizes.isEmpty ? [1000, 10_000, 100_000] : sizes { try print(CacheCurve(entries: size).measure()) }
    }
}

/// The measurements with one number of responses.
struct CacheCurve {
    private static let capacity = 100_000_000_000
    private static let probes = 2000

    let entries: Int

    /// Returns a row of the table, whose times are medians in microseconds unless they say otherwise.
    func measure() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let memory = Self.residentBytes
        var cache = HTTPCache(memoryCapacity: 0, diskCapacity: Self.capacity, directory: folder)
        for number in 0..<max(0, entries - Self.probes) { store(number, in: cache) }
        let stores = times { store(max(0, entries - Self.probes) + $0, in: cache) }
        let perEntry = max(0, Self.residentBytes - memory) / entries
        let hits = times { _ in precondition(find(.random(in: 0..<entries), in: cache), "a miss") }
        // Some of these stores begin a sweep, which removes the least recently used responses.
        let full = HTTPCache(memoryCapacity: 0, diskCapacity: cache.currentDiskUsage, directory: folder)
        let evicting = times { store(entries + $0, in: full) }
        let replaced = times { store(entries + $0, in: cache) }
        cache = HTTPCache(memoryCapacity: 0, diskCapacity: Self.capacity, directory: folder)
        let firstFind = Self.time { precondition(find(entries, in: cache), "a miss") }
        let firstStore = Self.time { store(entries, in: cache) }
        // Without the count of written bytes, a sweep is due.
        try FileManager.default.removeItem(at: folder.appendingPathComponent("ferry-cache/written"))
        let sweep = Self.time {
            store(0, in: cache)
            cache.finishMaintenance()
        }
        let removal = Self.time { cache.removeAll() }
        let columns = [
            "\(entries)", Self.median(stores), Self.format(stores.max() ?? 0), Self.median(hits),
            Self.median(evicting) + ", at most " + Self.format(evicting.max() ?? 0), Self.median(replaced),
            Self.format(firstFind) + ", " + Self.format(firstStore), Self.format(sweep), Self.format(removal),
            "\(perEntry) bytes",
        ]
        return "| " + columns.joined(separator: " | ") + " |"
    }

    private func key(_ number: Int) -> String { "http://example.com:80/articles/\(number)?format=json" }

    private func store(_ number: Int, in cache: HTTPCache) {
        let fields = [
            ("Date", "Wed, 25 Nov 2026 12:00:00 GMT"), ("Content-Type", "application/json"), ("Content-Length", "1024"),
            ("Cache-Control", "max-age=600"), ("ETag", "\"\(number)\""), ("Server", "nginx/1.22.1"),
        ]
        let stored = StoredResponse(
            key: key(number),
            head: ResponseHead(
                version: "HTTP/1.1",
                status: 200,
                fields: fields.map { .init(name: $0.0, value: $0.1) }
            ),
            isDecoded: false,
            requestTime: Date(),
            responseTime: Date(),
            selectingNames: [],
            variant: ""
        )
        cache.begin().store(stored, .data(Data(repeating: UInt8(truncatingIfNeeded: number), count: 1024)))
    }

    private func find(_ number: Int, in cache: HTTPCache) -> Bool {
        cache.find(key(number), lines: [])?.body.length == 1024
    }

    private func times(_ work: (Int) -> Void) -> [Double] {
        (0..<min(entries, Self.probes)).map { number in Self.time { work(number) } }
    }

    private static func time(_ work: () -> Void) -> Double {
        let duration = ContinuousClock().measure(work)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private static func median(_ times: [Double]) -> String { format(times.sorted()[times.count / 2]) }

    private static func format(_ seconds: Double) -> String {
        seconds < 0.01 ? String(format: "%.0f µs", seconds * 1e6) : String(format: "%.0f ms", seconds * 1e3)
    }

    private static var residentBytes: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }
}
