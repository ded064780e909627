import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// Caches of one or several processes that share a folder, and processes that are killed.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct CacheSharingTests {
    private static let body = LoopbackServer.pattern(count: 1000)

    private func cache(_ folder: TemporaryFolder, capacity: Int = 10_000_000) -> HTTPCache {
        HTTPCache(memoryCapacity: 0, diskCapacity: capacity, directory: folder.url)
    }

    @Test("A process that is killed while it stores leaves complete responses, and counts them") func killed()
        async throws
    {
        for round in 0..<4 {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = folder.url.path as String, round = round as Int] in
                let url = URL(fileURLWithPath: path)
                let cache = HTTPCache(memoryCapacity: 0, diskCapacity: 700_000, directory: url)
                Thread.detachNewThread {
                    while cache.currentDiskUsage < 500_000 { usleep(1000) }
                    usleep(UInt32(round) * 7000)
                    kill(getpid(), SIGKILL)
                }
                await onThreads(2) { worker in
                    var number = worker
                    while true {
                        number += 2
                        let key = number % 600
                        CacheSamples.store("/\(key)", Data("\(key) ".utf8) + Self.body, in: cache)
                        if number % 50 == 0 {
                            CacheSamples.store("/l", LoopbackServer.pattern(count: 66_000), in: cache)
                        }
                        if number % 30 == 0 { cache.remove(CacheSamples.key("/\(key)")) }
                    }
                }
            }
            let cache = cache(folder, capacity: 700_000)
            var found = 0
            for number in 0..<600 {
                guard let data = CacheSamples.body("/\(number)", in: cache) else { continue }
                found += 1
                #expect(data == Data("\(number) ".utf8) + Self.body)
            }
            #expect(found > 0)
            try? FileManager.default.removeItem(at: folder.file("ferry-cache/parts"))
            for number in 0..<300 {
                CacheSamples.store("/new\(number)", Self.body, in: cache)
                if number % 50 == 0 { cache.finishMaintenance() }
            }
            #expect(cache.currentDiskUsage <= 700_000)
            cache.finishMaintenance()
            #expect(CacheSamples.body("/new299", in: cache) == Self.body)
        }
    }

    @Test("What was removed is not found again after the process is killed") func removalIsDurable() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.url.path as String] in
            let url = URL(fileURLWithPath: path)
            let cache = HTTPCache(memoryCapacity: 0, diskCapacity: 10_000_000, directory: url)
            for number in 0..<500 { CacheSamples.store("/\(number)", Self.body, in: cache) }
            cache.removeAll()
            CacheSamples.store("/after", Self.body, in: cache)
            kill(getpid(), SIGKILL)
        }
        let cache = cache(folder)
        for number in 0..<500 { #expect(CacheSamples.body("/\(number)", in: cache) == nil) }
        #expect(CacheSamples.body("/after", in: cache) == Self.body)
        // The next use of the folder deletes what is left.
        CacheSamples.store("/new", Self.body, in: cache)
        cache.finishMaintenance()
        #expect(folder.names == ["ferry-cache"] && CacheSamples.files(folder).count == 2)
    }

    @Test("Caches that share a folder keep its capacity together") func sharing() async throws {
        let folder = try TemporaryFolder()
        let caches = (0..<4).map { _ in cache(folder, capacity: 300_000) }
        let usages = Watched<[Int]>([])
        await onThreads(5) { worker in
            for round in 0..<150 {
                guard worker < 4 else {
                    usages.append(caches[0].currentDiskUsage)
                    continue
                }
                let number = (round * 13 + worker * 7) % 500
                switch (round + worker) % 10 {
                case 0: caches[worker].remove(CacheSamples.key("/\(number)"))
                case 1 where worker == 0: unlink(folder.path("ferry-cache/written"))
                case 2 where worker == 1 && round % 40 == 1: caches[worker].removeAll()
                default: CacheSamples.store("/\(number)", Self.body, in: caches[worker])
                }
            }
        }
        for cache in caches { cache.finishMaintenance() }
        #expect(usages.current.allSatisfy { $0 <= 300_000 })
        let last = cache(folder, capacity: 300_000)
        CacheSamples.store("/last", Self.body, in: last)
        #expect(last.currentDiskUsage == CacheSamples.size(folder) && last.currentDiskUsage <= 300_000)
        #expect(caches.allSatisfy { CacheSamples.body("/last", in: $0) == Self.body })
    }

    @Test("While another process has locked the count, bytes are counted in memory") func locked() throws {
        let folder = try TemporaryFolder()
        let cache = cache(folder, capacity: 100_000)
        CacheSamples.store("/a", Self.body, in: cache)
        cache.finishMaintenance()
        let other = try RegularFile(updating: folder.path("ferry-cache/written"))
        #expect(other.tryLock())
        for number in 0..<200 {
            CacheSamples.store("/\(number)", Self.body, in: cache)
            cache.finishMaintenance()
            #expect(cache.currentDiskUsage <= 100_000)
        }
        #expect(CacheSamples.body("/199", in: cache) == Self.body)
        cache.remove(CacheSamples.key("/199"))
        #expect(CacheSamples.body("/199", in: cache) == nil)
        other.unlock()
        for number in 200..<400 {
            CacheSamples.store("/\(number)", Self.body, in: cache)
            cache.finishMaintenance()
            #expect(cache.currentDiskUsage <= 100_000)
        }
        #expect(CacheSamples.body("/399", in: self.cache(folder)) == Self.body)
    }

    @Test("Caches that make the folder at the same time store all their responses") func firstUse() async throws {
        for _ in 0..<30 {
            let folder = try TemporaryFolder()
            let caches = (0..<4).map { _ in cache(folder) }
            await onThreads(4) { worker in CacheSamples.store("/\(worker)", Self.body, in: caches[worker]) }
            for cache in caches { cache.finishMaintenance() }
            #expect((0..<4).allSatisfy { CacheSamples.body("/\($0)", in: caches[0]) == Self.body })
            #expect(caches[0].currentDiskUsage == CacheSamples.size(folder))
        }
    }
}
