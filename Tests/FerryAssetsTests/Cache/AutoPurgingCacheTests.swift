import FerryAssets
import Foundation
import Testing

@Suite("Purging caches")
struct AutoPurgingCacheTests {
    /// A cache of integers, each of which costs its own value.
    private func cache(_ capacity: Int, _ preferred: Int) -> AutoPurgingCache<Int> {
        AutoPurgingCache(memoryCapacity: capacity, preferredMemoryUsageAfterPurge: preferred, cost: { $0 })
    }

    @Test("The default capacity is 100 MiB, purged to 60 MiB")
    func defaults() {
        let cache = AutoPurgingCache<Data>()
        #expect(cache.memoryCapacity == 104_857_600)
        #expect(cache.preferredMemoryUsageAfterPurge == 62_914_560)
        cache.add(Data(count: 10), withIdentifier: "a")
        #expect(cache.memoryUsage == 10)
    }

    @Test("Replacing, removing and removing all keep the usage right")
    func usage() {
        let cache = cache(100, 60)
        cache.add(10, withIdentifier: "a")
        cache.add(20, withIdentifier: "b")
        cache.add(30, withIdentifier: "a")
        #expect(cache.memoryUsage == 50)
        #expect(cache.value(withIdentifier: "a") == 30)
        #expect(cache.removeValue(withIdentifier: "b"))
        #expect(!cache.removeValue(withIdentifier: "b"))
        #expect(cache.memoryUsage == 30)
        #expect(cache.removeAll())
        #expect(!cache.removeAll())
        #expect(cache.memoryUsage == 0)
        #expect(cache.value(withIdentifier: "a") == nil)
    }

    /// A value that uses its cache when it is released.
    private final class CachedObject: Sendable {
        let cache: AutoPurgingCache<CachedObject>
        init(_ cache: AutoPurgingCache<CachedObject>) { self.cache = cache }
        deinit { _ = cache.memoryUsage }
    }

    @Test("Values are released without a lock, so that they may use the cache")
    func release() {
        let cache = AutoPurgingCache<CachedObject>(
            memoryCapacity: 3,
            preferredMemoryUsageAfterPurge: 1,
            cost: { _ in 1 }
        )
        for name in ["a", "a", "b", "c", "d", "e"] { cache.add(CachedObject(cache), withIdentifier: name) }
        #expect(cache.memoryUsage > 0)
        #expect(cache.removeValue(withIdentifier: "e"))
        cache.add(CachedObject(cache), withIdentifier: "f")
        #expect(cache.removeAll())
        #expect(cache.memoryUsage == 0)
    }

    @Test("Beyond the capacity the least recently used values are purged down to the preferred usage")
    func purge() {
        let cache = cache(100, 60)
        for index in 0..<10 { cache.add(10, withIdentifier: "\(index)") }
        #expect(cache.memoryUsage == 100)
        #expect(cache.value(withIdentifier: "0") == 10)
        cache.add(10, withIdentifier: "new")
        #expect(cache.memoryUsage == 60)
        let left = (0..<10).filter { cache.value(withIdentifier: "\($0)") != nil }
        #expect(left == [0, 6, 7, 8, 9])
        #expect(cache.value(withIdentifier: "new") == 10)
    }

    @Test(
        "Costs and capacities of any size are safe",
        arguments: [
            (100, 60, [Int.max, Int.max, 5], 5), (100, 200, [60, 60], 60), (-1, -5, [1], 0), (0, 0, [0], 0),
            (100, 60, [-10, 20], 20), (Int.max, Int.max, [5, 6], 11), (100, 60, [101], 0),
        ]
    )
    func extremes(capacity: Int, preferred: Int, costs: [Int], usage: Int) {
        let cache = cache(capacity, preferred)
        for (index, cost) in costs.enumerated() { cache.add(cost, withIdentifier: "\(index)") }
        #expect(cache.memoryUsage == usage)
    }

    @Test("Requests are identified by their URL and an additional identifier")
    func requests() throws {
        let cache = cache(100, 60)
        var request = URLRequest(url: try #require(URL(string: "http://a/1?x=y")))
        cache.add(1, for: request)
        cache.add(2, for: request, withAdditionalIdentifier: "round")
        #expect(cache.value(withIdentifier: "http://a/1?x=y") == 1)
        #expect(cache.value(for: request) == 1)
        #expect(cache.value(for: request, withAdditionalIdentifier: "round") == 2)
        #expect(cache.removeValue(for: request, withAdditionalIdentifier: "round"))
        #expect(cache.shouldCache(1, for: request, withAdditionalIdentifier: nil))
        request.url = nil
        cache.add(3, for: request)
        #expect(cache.value(for: request) == nil)
        #expect(!cache.removeValue(for: request))
    }
}
