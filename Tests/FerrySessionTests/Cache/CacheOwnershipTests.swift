import Testing

@testable import FerrySession

@Suite struct CacheOwnershipTests {
    @Test("A session has its own cache with the size of its URLCache, or the cache of its options") func ownership() {
        let shared = URLCache(memoryCapacity: 1_000_000, diskCapacity: 1_000_000, diskPath: nil)
        let first = makeSession { $0.urlCache = shared }
        let second = makeSession { $0.urlCache = shared }
        // One session may trust servers that the other one does not.
        #expect(first.cache != nil && first.cache !== second.cache)
        #expect(first.cache?.memoryCapacity == 1_000_000)
        #expect(first.cache?.directory == nil)
        #expect(makeSession { $0.urlCache = nil }.cache == nil)
        let own = HTTPCache()
        var options = CurlSession.Options()
        options.cache = own
        #expect(makeSession(options: options) { $0.urlCache = nil }.cache === own)
    }
}
