import FerryCache
import FerryTesting
import TestSupport
import Testing

/// The eviction of files from a cache's folder: when it is due, its order, and its recovery.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct CacheSweepTests {
    private static let body = LoopbackServer.pattern(count: 1000)

    private func cache(_ folder: TemporaryFolder, capacity: Int = 10_000_000) -> HTTPCache {
        HTTPCache(memoryCapacity: 0, diskCapacity: capacity, directory: folder.url)
    }

    @Test("The names of files are read back, and no others") func names() {
        for kind in CacheName.Kind.allCases {
            let name = CacheName(randomFor: kind)
            #expect(CacheName(name.fileName) == name)
            #expect(CacheName(name.fileName.uppercased()) == nil && CacheName("../" + name.fileName) == nil)
        }
        for bad in ["", ".ferry-body", "+" + String(repeating: "1", count: 31) + ".ferry-body", "x.ferry-response"] {
            #expect(CacheName(bad) == nil)
        }
    }

    // MARK: - Recovery

    enum Damage: String, CaseIterable {
        case missing, empty, cut, greatest, link, pipe, directory
    }

    @Test("With a damaged count, no response is lost, and surplus ones are evicted", arguments: Damage.allCases)
    func recovery(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        let first = cache(folder)
        for number in 0..<40 {
            CacheSamples.store("/\(number)", Self.body, in: first)
            try CacheSamples.age("/\(number)", by: 3600 - number, folder)
        }
        first.finishMaintenance()
        let counter = folder.file("ferry-cache/written")
        #expect(try Data(contentsOf: counter).count == 8)
        let secret = try TemporaryFile(Data("secret".utf8))
        try FileManager.default.removeItem(at: counter)
        switch damage {
        case .missing: break
        case .empty: try Data().write(to: counter)
        case .cut: try Data([1, 2, 3]).write(to: counter)
        case .greatest: try Data(repeating: 0xFF, count: 8).write(to: counter)
        case .link: try FileManager.default.createSymbolicLink(at: counter, withDestinationURL: secret.url)
        case .pipe: #expect(mkfifo(counter.path, 0o600) == 0)
        case .directory: try FileManager.default.createDirectory(at: counter, withIntermediateDirectories: false)
        }
        for number in 0..<40 { #expect(CacheSamples.body("/\(number)", in: cache(folder)) == Self.body, "\(number)") }
        for number in 0..<40 { try CacheSamples.age("/\(number)", by: 3600 - number, folder) }
        let small = cache(folder, capacity: 16_000)
        for number in 40..<60 {
            CacheSamples.store("/\(number)", Self.body, in: small)
            small.finishMaintenance()
        }
        #expect(small.currentDiskUsage <= 16_000 && small.currentDiskUsage == CacheSamples.size(folder))
        #expect(CacheSamples.body("/39", in: small) == nil)
        #expect(CacheSamples.body("/59", in: small) == Self.body)
        #expect(try Data(contentsOf: secret.url) == Data("secret".utf8))
    }

    @Test("Nothing is evicted, and all is found, if files appear or disappear behind the cache's back")
    func foreignChanges() throws {
        let folder = try TemporaryFolder()
        let first = cache(folder)
        for number in 0..<20 { CacheSamples.store("/\(number)", Self.body, in: first) }
        for path in CacheSamples.files(folder).prefix(5) { try FileManager.default.removeItem(at: folder.file(path)) }
        let added = folder.file("ferry-cache/" + CacheName(randomFor: .response).path)
        try FileManager.default.createDirectory(
            at: added.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Self.body.write(to: added)
        CacheSamples.store("/20", Self.body, in: first)
        first.finishMaintenance()
        #expect(first.currentDiskUsage == CacheSamples.size(folder))
        #expect((0...20).filter { CacheSamples.body("/\($0)", in: first) != nil }.count == 16)
    }

    @Test("While a sweep is overdue, nothing more is stored") func overdue() throws {
        let folder = try TemporaryFolder()
        let files = CacheFolder(url: folder.url, capacity: 100_000)
        #expect(files.store(CacheSamples.stored("/a"), .data(Self.body)) == .stored)
        files.maintenance.wait()
        let isReleased = DispatchSemaphore(value: 0)
        files.maintenance.run { isReleased.wait() }
        let results = (0..<200).map { files.store(CacheSamples.stored("/\($0)"), .data(Self.body)) }
        #expect(results.first == .stored && results.last == .failed)
        #expect(CacheSamples.size(folder) <= 27_000)
        // Another process, or the next one, makes room.
        let other = cache(folder, capacity: 100_000)
        #expect(CacheSamples.body("/0", in: other) == Self.body)
        other.finishMaintenance()
        #expect(files.store(CacheSamples.stored("/last"), .data(Self.body)) == .stored)
        isReleased.signal()
    }

    @Test("What earlier processes have written counts until a sweep") func persistent() throws {
        let folder = try TemporaryFolder()
        for number in 0..<200 {
            // Each cache evicts only at the beginning, if that is due.
            let cache = cache(folder, capacity: 100_000)
            CacheSamples.store("/\(number)", Self.body, in: cache)
            cache.finishMaintenance()
            #expect(CacheSamples.size(folder) <= 100_000)
        }
        #expect(CacheSamples.size(folder) > 70_000)
        let cache = cache(folder, capacity: 100_000)
        #expect(CacheSamples.body("/0", in: cache) == nil && CacheSamples.body("/199", in: cache) == Self.body)
    }

    @Test("A folder in place of the cache's that is a link or a file is not used") func foreignFolder() throws {
        for isLink in [true, false] {
            let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
            if isLink {
                let link = folder.file("ferry-cache")
                try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other.url)
            } else {
                try folder.file("ferry-cache", "text")
            }
            let cache = HTTPCache(diskCapacity: 10_000_000, directory: folder.url)
            CacheSamples.store("/a", Self.body, in: cache)
            #expect(CacheSamples.body("/a", in: cache) == Self.body)
            cache.finishMaintenance()
            #expect(other.names == [] && CacheSamples.files(folder) == [])
            // `removeAll` does not remove it either.
            cache.removeAll()
            cache.finishMaintenance()
            #expect(folder.names == ["ferry-cache"])
        }
    }

    // MARK: - Order

    @Test("The least recently used responses are evicted") func order() throws {
        let folder = try TemporaryFolder()
        let cache = cache(folder, capacity: 100_000)
        for number in 0..<300 {
            CacheSamples.store("/\(number)", Self.body, in: cache)
            #expect(cache.currentDiskUsage <= 100_000)
            // Each response is older than the next by a second, whatever the resolution of times.
            try CacheSamples.age("/\(number)", by: 3600 - number, folder)
            // This response is used again and again, after more than a minute each time.
            try CacheSamples.age("/0", by: 3600, folder)
            #expect(CacheSamples.body("/0", in: cache) == Self.body)
            cache.finishMaintenance()
        }
        let usage = cache.currentDiskUsage
        #expect(usage == CacheSamples.size(folder) && usage > 74_000 && usage < 90_000)
        let left = (0..<300).filter { CacheSamples.body("/\($0)", in: cache) != nil }
        #expect(left == [0] + Array((300 - left.count + 1)..<300))
    }

    @Test("A response that was written before the clock was set back is evicted first") func clock() throws {
        let folder = try TemporaryFolder()
        let cache = cache(folder, capacity: 20_000)
        CacheSamples.store("/future", Self.body, in: cache)
        try CacheSamples.age("/future", by: -3600, folder)
        for number in 0..<30 {
            CacheSamples.store("/\(number)", Self.body, in: cache)
            cache.finishMaintenance()
        }
        #expect(CacheSamples.body("/future", in: cache) == nil)
        #expect(CacheSamples.body("/29", in: cache) == Self.body)
        #expect(cache.currentDiskUsage == CacheSamples.size(folder))
    }

    private static let memoryFolder = URL(fileURLWithPath: "/dev/shm")

    // Other file systems limit the times of files.
    @Test(
        "The least and the greatest time of a file do not end the process",
        .enabled(if: FileManager.default.isWritableFile(atPath: memoryFolder.path), "There is no /dev/shm"),
        arguments: [Int.min, .max]
    )
    func times(_ seconds: Int) throws {
        let folder = try TemporaryFolder(in: Self.memoryFolder)
        let first = cache(folder)
        CacheSamples.store("/a", Self.body, in: first)
        first.finishMaintenance()
        let path = folder.path("ferry-cache/" + CacheName(hashing: CacheSamples.key("/a")).path)
        func setTime() {
            let time = timespec(tv_sec: seconds, tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        }
        setTime()
        let other = cache(folder)
        #expect(CacheSamples.body("/a", in: other) == Self.body)
        other.finishMaintenance()
        setTime()
        let second = cache(folder, capacity: 20_000)
        for number in 0..<30 {
            CacheSamples.store("/\(number)", Self.body, in: second)
            second.finishMaintenance()
        }
        #expect(second.currentDiskUsage == CacheSamples.size(folder))
        #expect(CacheSamples.body("/a", in: second) == nil && CacheSamples.body("/29", in: second) == Self.body)
    }

    @Test("A large body evicts many small ones") func largeBody() throws {
        let folder = try TemporaryFolder()
        let cache = cache(folder, capacity: 1_000_000)
        for number in 0..<900 {
            CacheSamples.store("/\(number)", Self.body, in: cache)
            // Faster than a sweep, a response would be refused.
            if number % 50 == 49 { cache.finishMaintenance() }
        }
        CacheSamples.store("/large", LoopbackServer.pattern(count: 99_000), in: cache)
        cache.finishMaintenance()
        #expect(cache.currentDiskUsage <= 1_000_000 && cache.currentDiskUsage == CacheSamples.size(folder))
        #expect(CacheSamples.body("/large", in: cache) != nil && CacheSamples.body("/899", in: cache) == Self.body)
    }

    // MARK: - Growth

    @Test("A store takes as long in a folder with many files as in one with few") func growth() throws {
        func time(_ files: Int) throws -> Double {
            let folder = try TemporaryFolder()
            for number in 0..<256 {
                let name = UInt8(number).hexadecimal
                let shard = folder.file("ferry-cache/\(name)")
                try FileManager.default.createDirectory(at: shard, withIntermediateDirectories: true)
                for _ in 0..<files / 256 {
                    let other = CacheName(randomFor: .response).fileName.dropFirst(2)
                    _ = try RegularFile(creating: shard.path + "/" + name + other)
                }
            }
            let cache = cache(folder)
            CacheSamples.store("/first", Self.body, in: cache)
            cache.finishMaintenance()
            var start = timespec()
            var end = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
            for number in 0..<300 { CacheSamples.store("/\(number)", Self.body, in: cache) }
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
            #expect(CacheSamples.files(folder).count == files / 256 * 256 + 301)
            return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
        }
        let (few, many) = (try time(256), try time(25_600))
        #expect(many < 5 * few, "\(few) s with 256 files, \(many) s with 25,600")
    }
}
