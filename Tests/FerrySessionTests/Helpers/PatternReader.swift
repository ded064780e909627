import FerrySession
import FerryTesting

/// Compares data that arrives in pieces with the pattern, faster than a hash in a debug build.
struct PatternReader {
    private(set) var count = 0
    private(set) var isExact = true

    mutating func read(_ data: Data) {
        isExact = isExact && data == LoopbackServer.pattern(count: data.count, offset: count)
        count += data.count
    }
}
