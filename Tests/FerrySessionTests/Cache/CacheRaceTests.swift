import FerryTesting
import Testing

@testable import FerrySession

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
        let wrong = Locked(0)
        let found = Locked(0)
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
                    _ = cache.update(entry, to: stored, requestedIn: cache.generation)
                case 3, 4: CacheSamples.store("/\(key)", Self.body(key, round % 8), in: cache)
                default:
                    guard let entry = cache.find(CacheSamples.key("/\(key)"), lines: []) else { continue }
                    guard let data = CacheSamples.read(entry) else { continue }
                    found.withLock { $0 += 1 }
                    if !Self.isBody(data, of: key) { wrong.withLock { $0 += 1 } }
                }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
        #expect(found.withLock { $0 } > 0)
        for cache in caches { #expect(cache.currentMemoryUsage <= 200_000) }
        #expect(!folder.names.contains { $0.hasSuffix(CacheFolder.partSuffix) })
        caches[0].removeAll()
        #expect(folder.names == [])
    }

    @Test("A response that is updated while it is removed is not left on the disk", arguments: [true, false])
    func updateDuringRemoval(_ isAll: Bool) async throws {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(memoryCapacity: 200_000, diskCapacity: 1_000_000, directory: folder.url)
        for round in 0..<200 {
            // One with a small body is in memory too.
            CacheSamples.store("/a", Self.body(round % 2, 0), in: cache)
            let entry = try #require(cache.find(CacheSamples.key("/a"), lines: []))
            let generation = cache.generation
            let updated = CacheSamples.stored("/a", etag: "\"\(round)\"")
            await onThreads(2) { worker in
                if worker == 0 {
                    _ = cache.update(entry, to: updated, requestedIn: generation)
                } else if isAll {
                    cache.removeAll()
                } else {
                    cache.remove(CacheSamples.key("/a"))
                }
            }
            #expect(cache.find(CacheSamples.key("/a"), lines: []) == nil, "round \(round)")
            #expect(folder.names.filter { $0.hasSuffix(CacheFolder.entrySuffix) } == [], "round \(round)")
        }
    }

    @Test("Concurrent requests, invalidations and cancellations on one cache all end correctly") func requests()
        async throws
    {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(memoryCapacity: 300_000, diskCapacity: 2_000_000, directory: folder.url)
        let server = try LoopbackServer { request in
            guard request.method == "GET" else { return .status(204) }
            let key = Int(request.path.dropFirst()) ?? 0
            let tag = "\"\(key)\""
            let response =
                request.header("If-None-Match") == tag ? LoopbackResponse.status(304) : .data(Self.body(key, 0))
            let age = key % 2 == 0 ? "0" : "70"
            return response.adding("ETag", tag).adding("Age", age)
                .adding("Cache-Control", "max-age=60, stale-while-revalidate=\(key % 4 == 1 ? 600 : 0)")
        }
        let delegate = RecordingDelegate()
        let sessions = [CacheBench.session(cache, delegate), CacheBench.session(cache), CacheBench.session(cache)]
        let wrong = Locked<[String]>([])
        let left = Locked(0)
        await onThreads(6) { worker in
            let session = sessions[worker % sessions.count]
            for round in 0..<40 {
                let key = (round + worker) % 10
                var request = URLRequest(url: server.url("/\(key)"))
                if round % 13 == worker { request.httpMethod = "POST" }
                if round % 17 == worker { cache.remove(for: server.url("/\(key)")) }
                left.withLock { $0 += 1 }
                let isPost = request.httpMethod == "POST"
                let task = session.dataTask(with: request) { data, _, error in
                    left.withLock { $0 -= 1 }
                    if let data, !isPost, data != Self.body(key, 0) {
                        wrong.withLock { $0.append("\(key): \(data.count) bytes") }
                    }
                    if let error, (error as? URLError)?.code != .cancelled {
                        wrong.withLock { $0.append("\(key): \(error)") }
                    }
                }
                task.resume()
                if round % 5 == 0 { task.cancel() }
                if round % 7 == 0 {
                    task.suspend()
                    task.resume()
                }
            }
        }
        try await eventually("all completions", timeout: 60) { left.withLock { $0 == 0 } }
        #expect(wrong.withLock { $0 } == [])
        #expect(delegate.violations == [])
    }
}
