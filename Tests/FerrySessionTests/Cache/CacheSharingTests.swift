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

    @Test("A process that is killed while it stores leaves complete responses and an index of them") func killed()
        async throws
    {
        for round in 0..<4 {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = folder.url.path as String, round = round as Int] in
                let url = URL(fileURLWithPath: path)
                let cache = HTTPCache(memoryCapacity: 0, diskCapacity: 700_000, directory: url)
                Thread.detachNewThread {
                    while cache.currentDiskUsage < 600_000 { usleep(1000) }
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
            // Each file has a record, so it can be evicted; the total is wrong by one file at most.
            #expect(try CacheSamples.indexed(folder).isSuperset(of: CacheSamples.files(folder)))
            #expect(abs(cache.currentDiskUsage - CacheSamples.size(folder)) < 70_000)
            for number in 0..<300 { CacheSamples.store("/new\(number)", Self.body, in: cache) }
            cache.finishMaintenance()
            #expect(cache.currentDiskUsage <= 700_000)
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

    @Test("Caches that share a folder agree about its files, also while the index is rebuilt")
    func sharing() async throws {
        let folder = try TemporaryFolder()
        let caches = (0..<4).map { _ in cache(folder, capacity: 300_000) }
        let other = CacheFolder(url: folder.url, capacity: 300_000)
        await onThreads(5) { worker in
            for round in 0..<150 {
                let cache = caches[worker % 4]
                let number = (round * 13 + worker * 7) % 500
                switch (round + worker) % 10 {
                case 0: cache.remove(CacheSamples.key("/\(number)"))
                case 1 where worker == 0: unlink(folder.path("ferry-cache/index"))
                case 2 where worker == 1 && round % 40 == 1: cache.removeAll()
                default: CacheSamples.store("/\(number)", Self.body, in: cache)
                }
                // Several at once, as different processes would.
                if worker == 4 { other.rebuild() }
            }
        }
        for cache in caches { cache.finishMaintenance() }
        other.maintenance.wait()
        try FileManager.default.removeItem(at: folder.file("ferry-cache/index"))
        let last = cache(folder, capacity: 300_000)
        CacheSamples.store("/last", Self.body, in: last)
        last.finishMaintenance()
        #expect(last.currentDiskUsage == CacheSamples.size(folder) && last.currentDiskUsage <= 300_000)
        #expect(try CacheSamples.indexed(folder) == Set(CacheSamples.files(folder)))
        #expect(caches.allSatisfy { CacheSamples.body("/last", in: $0) == Self.body })
    }

    @Test("An index that is locked for long costs a store its file, and nothing else") func locked() throws {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(diskCapacity: 10_000_000, directory: folder.url)
        CacheSamples.store("/a", Self.body, in: cache)
        cache.finishMaintenance()
        let other = try RegularFile(updating: folder.path("ferry-cache/index"))
        #expect(other.tryLock())
        CacheSamples.store("/b", Self.body, in: cache)
        #expect(CacheSamples.body("/b", in: cache) == Self.body && CacheSamples.files(folder).count == 1)
        // A removal does not depend on the lock.
        cache.remove(CacheSamples.key("/a"))
        #expect(CacheSamples.body("/a", in: self.cache(folder)) == nil)
        other.unlock()
        CacheSamples.store("/c", Self.body, in: cache)
        #expect(CacheSamples.body("/c", in: self.cache(folder)) == Self.body)
        // The index contains the removal.
        #expect(cache.currentDiskUsage == CacheSamples.size(folder))
    }

    @Test("Nothing else waits while a change waits for the lock of another process") func waiting() async throws {
        let folder = try TemporaryFolder()
        let files = CacheFolder(url: folder.url, capacity: 10_000_000)
        let stored = CacheSamples.stored("/a")
        #expect(files.store(stored, .data(Self.body)) == .stored)
        files.maintenance.wait()
        let other = try RegularFile(updating: folder.path("ferry-cache/index"))
        #expect(other.tryLock())
        let counts = Watched<[Int64?]>([])
        Thread.detachNewThread {
            let count = files.change(attempts: 100_000) { $0.head.count }
            counts.append(count)
        }
        for number in 0..<20 {
            #expect(files.find(stored.key, lines: []) != nil)
            #expect(files.store(CacheSamples.stored("/\(number)"), .data(Self.body)) == .failed)
        }
        #expect(counts.current.isEmpty)
        other.unlock()
        #expect(try await counts.first() == 1)
    }

    @Test("Caches that make the folder at the same time have one index of all files") func firstUse() async throws {
        for _ in 0..<30 {
            let folder = try TemporaryFolder()
            let caches = (0..<4).map { _ in cache(folder) }
            await onThreads(4) { worker in CacheSamples.store("/\(worker)", Self.body, in: caches[worker]) }
            for cache in caches { cache.finishMaintenance() }
            #expect(try CacheSamples.indexed(folder).isSuperset(of: CacheSamples.files(folder)))
            #expect(caches[0].currentDiskUsage == CacheSamples.size(folder))
        }
    }

    @Test("What is stored and removed while the index is rebuilt is in the new one") func duringRebuild() async throws {
        let folder = try TemporaryFolder()
        let cache = cache(folder)
        for number in 0..<300 { CacheSamples.store("/\(number)", Self.body, in: cache) }
        let other = CacheFolder(url: folder.url, capacity: 10_000_000)
        let isDone = Watched(false)
        await onThreads(2) { worker in
            guard worker == 0 else {
                while !isDone.current { other.rebuild() }
                return
            }
            for number in 0..<1200 {
                CacheSamples.store("/\(number)", Self.body, in: cache)
                if number % 5 == 0 { cache.remove(CacheSamples.key("/\(number / 2)")) }
            }
            isDone.change { $0 = true }
        }
        cache.finishMaintenance()
        other.maintenance.wait()
        #expect(cache.currentDiskUsage == CacheSamples.size(folder))
        #expect(try CacheSamples.indexed(folder).isSuperset(of: CacheSamples.files(folder)))
    }
}
