import FerryCache
import FerryTesting
import Testing

/// Many threads use one cache, and many caches one folder; also meant for the thread sanitizer.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CacheRaceTests {
    /// A body that depends on key and version, so that one with another key or length is detected.
    private static func body(_ key: Int, _ version: Int) -> Data {
        let size = key % 3 == 0 ? 70_000 + version * 1000 : 100 + version
        return Data("\(key):\(version):".utf8) + LoopbackServer.pattern(count: size)
    }

    private static func isBody(_ data: Data, of key: Int) -> Bool {
        (0..<8).contains { body(key, $0) == data }
    }

    @Test("Caches that share a folder find complete responses or none") func folder() async throws {
        let folder = try TemporaryFolder()
        let caches = (0..<4).map { _ in
            HTTPCache(memoryCapacity: 200_000, diskCapacity: 1_000_000, directory: folder.url)
        }
        let wrong = Watched(0)
        let found = Watched(0)
        await onThreads(8) { worker in
            let cache = caches[worker % caches.count]
            for round in 0..<80 {
                let key = (round * 7 + worker) % 12
                switch (round + worker) % 8 {
                case 0: cache.remove(CacheSamples.key("/\(key)"))
                case 1 where round == 40: cache.removeAll()
                case 2:
                    guard let entry = cache.find(CacheSamples.key("/\(key)"), lines: []) else { continue }
                    let stored = CacheSamples.stored("/\(key)", etag: "\"\(round)\"")
                    _ = cache.begin().update(entry, to: stored)
                case 3, 4: CacheSamples.store("/\(key)", Self.body(key, round % 8), in: cache)
                default:
                    guard let entry = cache.find(CacheSamples.key("/\(key)"), lines: []) else { continue }
                    guard let data = CacheSamples.read(entry) else { continue }
                    found.change { $0 += 1 }
                    if !Self.isBody(data, of: key) { wrong.change { $0 += 1 } }
                }
            }
        }
        #expect(wrong.current == 0)
        #expect(found.current > 0)
        for cache in caches { #expect(cache.currentMemoryUsage <= 200_000) }
        #expect(!CacheSamples.files(folder).contains { $0.hasSuffix(CacheFolder.partSuffix) })
        caches[0].removeAll()
        #expect(CacheSamples.files(folder) == [])
    }

    @Test("A response that is updated while it is removed is not left on the disk", arguments: [true, false])
    func updateDuringRemoval(_ isAll: Bool) async throws {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(memoryCapacity: 200_000, diskCapacity: 1_000_000, directory: folder.url)
        for round in 0..<200 {
            // While a sweep is overdue, a response would be refused.
            cache.finishMaintenance()
            // A response with a small body is in memory too.
            CacheSamples.store("/a", Self.body(round % 2, 0), in: cache)
            let entry = try #require(cache.find(CacheSamples.key("/a"), lines: []))
            let ticket = cache.begin()
            let updated = CacheSamples.stored("/a", etag: "\"\(round)\"")
            await onThreads(2) { worker in
                if worker == 0 {
                    _ = ticket.update(entry, to: updated)
                } else if isAll {
                    cache.removeAll()
                } else {
                    cache.remove(CacheSamples.key("/a"))
                }
            }
            #expect(cache.find(CacheSamples.key("/a"), lines: []) == nil, "round \(round)")
            #expect(CacheSamples.files(folder).filter { $0.hasSuffix(".ferry-response") } == [], "round \(round)")
        }
    }
}
