import FerryCache
import FerryTesting
import TestSupport
import Testing

/// The index of a cache's folder: its order, its total, and its recovery.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct CacheIndexTests {
    private static let body = LoopbackServer.pattern(count: 1000)

    private func cache(_ folder: TemporaryFolder, capacity: Int = 10_000_000) -> HTTPCache {
        HTTPCache(memoryCapacity: 0, diskCapacity: capacity, directory: folder.url)
    }

    @Test("Every truncated or changed byte of a head or a record is detected") func bytes() throws {
        var head = CacheIndex.Head()
        (head.first, head.end, head.total, head.count) = (96, 160, 12_345, 2)
        let bytes = head.bytes
        #expect(bytes.count == CacheIndex.Head.size && CacheIndex.Head(bytes, fileSize: 160) == head)
        #expect(CacheIndex.Head(bytes, fileSize: 159) == nil)
        let record = CacheIndex.Record(CacheName(randomFor: .body), time: 1_700_000_000_123_456_789)
        #expect(record.bytes.count == CacheIndex.Record.size && CacheIndex.Record(record.bytes) == record)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x10
            #expect(CacheIndex.Head(changed, fileSize: 160) == nil)
            #expect(CacheIndex.Head(bytes.prefix(index), fileSize: 160) == nil)
        }
        for index in record.bytes.indices {
            for bits in 1...255 as ClosedRange<UInt8> {
                var changed = record.bytes
                changed[index] ^= bits
                #expect(CacheIndex.Record(changed) == nil)
            }
            #expect(CacheIndex.Record(record.bytes.prefix(index)) == nil)
        }
    }

    @Test(
        "Positions and sums that no cache would write are refused, even with a valid checksum",
        arguments: [
            (0, 64, 0), (96, 64, 0), (64, 65, 0), (64, .max, 0), (64, 96, 128),
        ] as [(Int64, Int64, Int64)]
    )
    func forgery(_ first: Int64, _ end: Int64, _ mark: Int64) {
        var head = CacheIndex.Head()
        (head.first, head.end, head.rebuildMark) = (first, end, mark)
        #expect(CacheIndex.Head(head.bytes, fileSize: 4096) == nil)
    }

    @Test("Sums neither overflow nor become negative") func sums() {
        var head = CacheIndex.Head()
        for _ in 0..<3 { head.note(from: nil, to: .max) }
        #expect(head.total == .max && head.count == 3)
        head.note(from: .max, to: nil)
        head.note(from: .max, to: nil)
        #expect(head.total == 0 && head.count == 1)
        (head.count, head.end) = (.max, .max)
        #expect(!head.needsRebuild(capacity: 0))
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
        case missing, empty, cut, garbage, head, record, longer, link, pipe, directory, earlierStart
    }

    @Test("A damaged index is rebuilt, and no response is lost", arguments: Damage.allCases)
    func recovery(_ damage: Damage) throws {
        let folder = try TemporaryFolder()
        let first = cache(folder)
        for number in 0..<40 { CacheSamples.store("/\(number)", Self.body, in: first) }
        first.finishMaintenance()
        let index = folder.file("ferry-cache/index")
        var bytes = try Data(contentsOf: index)
        #expect(bytes.count == CacheIndex.Head.size + 40 * CacheIndex.Record.size)
        let secret = try TemporaryFile(Data("secret".utf8))
        switch damage {
        case .missing: try FileManager.default.removeItem(at: index)
        case .empty: try Data().write(to: index)
        case .cut: try bytes.prefix(700).write(to: index)
        case .garbage: try Data(repeating: 0xA5, count: 5000).write(to: index)
        case .head, .record:
            bytes[damage == .head ? 20 : CacheIndex.Head.size + 5] ^= 1
            try bytes.write(to: index)
        case .longer: try (bytes + Data(count: 100)).write(to: index)
        case .link, .pipe, .directory:
            try FileManager.default.removeItem(at: index)
            if damage == .link {
                try FileManager.default.createSymbolicLink(at: index, withDestinationURL: secret.url)
            } else if damage == .pipe {
                #expect(mkfifo(index.path, 0o600) == 0)
            } else {
                try FileManager.default.createDirectory(at: index, withIntermediateDirectories: false)
            }
        case .earlierStart:
            var head = try #require(CacheIndex.Head(bytes.prefix(64), fileSize: Int64(bytes.count)))
            (head.boot, head.total) = (head.boot ^ 1, 7)
            try (head.bytes + bytes.dropFirst(64)).write(to: index)
        }
        // The damaged record is noticed when it is the next to be removed, which requires too many files.
        let second = damage == .record ? cache(folder, capacity: 50_000) : cache(folder)
        CacheSamples.store("/40", Self.body, in: second)
        second.finishMaintenance()
        #expect(second.currentDiskUsage == CacheSamples.size(folder))
        #expect(try CacheSamples.indexed(folder) == Set(CacheSamples.files(folder)))
        if damage == .record {
            #expect(second.currentDiskUsage <= 50_000)
            #expect(CacheSamples.body("/0", in: second) == nil)
        }
        for number in (damage == .record ? 20 : 0)...40 {
            #expect(CacheSamples.body("/\(number)", in: second) == Self.body, "\(number)")
        }
        #expect(try Data(contentsOf: secret.url) == Data("secret".utf8))
        // The order has been restored from the files' times.
        let small = cache(folder, capacity: 15_000)
        CacheSamples.store("/41", Self.body, in: small)
        small.finishMaintenance()
        #expect(small.currentDiskUsage <= 15_000 && small.currentDiskUsage == CacheSamples.size(folder))
        #expect(CacheSamples.body("/20", in: small) == nil)
        #expect(CacheSamples.body("/41", in: small) == Self.body)
    }

    @Test("Files that appear or disappear behind the cache's back are counted after a rebuild") func foreignChanges()
        throws
    {
        let folder = try TemporaryFolder()
        let first = cache(folder)
        for number in 0..<20 { CacheSamples.store("/\(number)", Self.body, in: first) }
        first.finishMaintenance()
        for path in CacheSamples.files(folder).prefix(5) { try FileManager.default.removeItem(at: folder.file(path)) }
        let added = folder.file("ferry-cache/" + CacheName(randomFor: .response).path)
        try FileManager.default.createDirectory(
            at: added.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Self.body.write(to: added)
        try FileManager.default.removeItem(at: folder.file("ferry-cache/index"))
        let second = cache(folder)
        #expect(second.currentDiskUsage == CacheSamples.size(folder))
        CacheSamples.store("/20", Self.body, in: second)
        second.finishMaintenance()
        #expect(second.currentDiskUsage == CacheSamples.size(folder))
        #expect(try CacheSamples.indexed(folder) == Set(CacheSamples.files(folder)))
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

    @Test("The least recently used responses are evicted, one for each new one") func order() throws {
        let folder = try TemporaryFolder()
        let cache = cache(folder, capacity: 100_000)
        CacheSamples.store("/size", Self.body, in: cache)
        let size = cache.currentDiskUsage
        let most = 100_000 / size
        let longAgo: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -3600)]
        for number in 0..<300 {
            CacheSamples.store("/\(number)", Self.body, in: cache)
            // This response is used again and again, after more than a minute each time.
            let path = folder.path("ferry-cache/" + CacheName(hashing: CacheSamples.key("/0")).path)
            try FileManager.default.setAttributes(longAgo, ofItemAtPath: path)
            #expect(CacheSamples.body("/0", in: cache) == Self.body)
            #expect(cache.currentDiskUsage <= 100_000)
        }
        #expect(cache.currentDiskUsage == CacheSamples.size(folder) && cache.currentDiskUsage > 100_000 - 2 * size)
        let left = (0..<300).filter { CacheSamples.body("/\($0)", in: cache) != nil }
        #expect(left == [0] + Array((300 - left.count + 1)..<300))
        #expect(left.count >= most - 1)
    }

    @Test("A response that was written before the clock was set back is evicted in its turn") func clock() throws {
        let folder = try TemporaryFolder()
        let files = CacheFolder(url: folder.url, capacity: 20_000)
        let part = try #require(CachePart(folder: files))
        #expect(Self.body.withUnsafeBytes { part.write($0) })
        let later: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: 3600)]
        let path = try #require(CacheSamples.files(folder).first)
        try FileManager.default.setAttributes(later, ofItemAtPath: folder.path(path))
        let name = CacheName(randomFor: .body)
        #expect(part.publish(as: name))
        let cache = cache(folder, capacity: 20_000)
        for number in 0..<30 { CacheSamples.store("/\(number)", Self.body, in: cache) }
        #expect(!FileManager.default.fileExists(atPath: files.path(name)))
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
        try FileManager.default.removeItem(at: folder.file("ferry-cache/index"))
        let second = cache(folder)
        CacheSamples.store("/b", Self.body, in: second)
        second.finishMaintenance()
        #expect(second.currentDiskUsage == CacheSamples.size(folder))
        #expect(try CacheSamples.indexed(folder) == Set(CacheSamples.files(folder)))
    }

    @Test("The index stays small if responses are used or replaced many times") func compaction() throws {
        let folder = try TemporaryFolder()
        let folderOfCache = CacheFolder(url: folder.url, capacity: 10_000_000)
        let cache = cache(folder)
        CacheSamples.store("/a", Self.body, in: cache)
        let name = CacheName(hashing: CacheSamples.key("/a"))
        for _ in 0..<9000 { folderOfCache.change { _ = $0.append(CacheIndex.Record(name)) } }
        folderOfCache.maintenance.wait()
        CacheSamples.store("/b", Self.body, in: cache)
        cache.finishMaintenance()
        let size = try RegularFile(reading: folder.path("ferry-cache/index"), links: .refuse).size()
        #expect(size < 9000 * Int64(CacheIndex.Record.size))
        #expect(cache.currentDiskUsage == CacheSamples.size(folder))
    }

    @Test("A large body evicts many small ones, which stores do not wait for") func largeBody() throws {
        let folder = try TemporaryFolder()
        let cache = cache(folder, capacity: 1_000_000)
        for number in 0..<900 { CacheSamples.store("/\(number)", Self.body, in: cache) }
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
            #expect(try CacheSamples.indexed(folder).count == files / 256 * 256 + 301)
            return Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
        }
        let (few, many) = (try time(256), try time(25_600))
        #expect(many < 5 * few, "\(few) s with 256 files, \(many) s with 25,600")
    }
}
