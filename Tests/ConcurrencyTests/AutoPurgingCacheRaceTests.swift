import FerryAssets
import Foundation
import Testing

@Suite("Purging caches from many threads")
struct AutoPurgingCacheRaceTests {
    @Test("The usage is the sum of the values under concurrent adding and removing")
    func concurrent() async {
        let cache = AutoPurgingCache<Int>(memoryCapacity: 1_000, preferredMemoryUsageAfterPurge: 600, cost: { $0 })
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for index in 0..<500 {
                        let name = "\((index * 7 + worker) % 100)"
                        switch index % 4 {
                        case 0, 1: cache.add(index % 50, withIdentifier: name)
                        case 2: _ = cache.value(withIdentifier: name)
                        default: cache.removeValue(withIdentifier: name)
                        }
                    }
                }
            }
        }
        let sum = (0..<100).compactMap { cache.value(withIdentifier: "\($0)") }.reduce(0, +)
        #expect(cache.memoryUsage == sum)
        #expect(sum <= 1_000)
    }
}
