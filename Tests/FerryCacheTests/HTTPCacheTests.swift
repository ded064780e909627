import FerryCache
import FerryTesting
import Testing

@Suite struct HTTPCacheTests {
    static let small = Data("small".utf8)
    static let large = LoopbackServer.pattern(count: 200_000)

    private func disk(_ folder: TemporaryFolder, capacity: Int = 10_000_000) -> HTTPCache {
        HTTPCache(memoryCapacity: 1_000_000, diskCapacity: capacity, directory: folder.url)
    }

    @Test("A stored response is found only by its key") func finding() throws {
        let cache = HTTPCache()
        CacheSamples.store("/a?x=1", Self.small, in: cache)
        #expect(CacheSamples.body("/a?x=1", in: cache) == Self.small)
        #expect(CacheSamples.body("/a?x=2", in: cache) == nil)
        #expect(CacheSamples.body("/a", in: cache) == nil)
        #expect(cache.currentMemoryUsage > Self.small.count)
        #expect(cache.directory == nil && cache.diskCapacity == 0 && cache.currentDiskUsage == 0)
    }

    @Test("Another cache for the folder finds small and large bodies", arguments: [small, large, Data()])
    func persistence(_ data: Data) throws {
        let folder = try TemporaryFolder()
        #expect(CacheSamples.store("/a", data, in: disk(folder)))
        let other = disk(folder)
        #expect(CacheSamples.body("/a", in: other) == data)
        #expect(other.currentDiskUsage >= data.count)
        #expect(!CacheSamples.files(folder).contains { $0.hasSuffix(CacheFolder.partSuffix) })
        // A small body is kept in memory from then on.
        #expect((other.currentMemoryUsage > 0) == (data.count < CacheFolder.maximumInlineSize))
    }

    @Test("A response that was read from disk does not replace one that has been stored in memory since")
    func foundLate() throws {
        var memory = CacheMemory(capacity: 1_000_000)
        let old = CacheEntry(CacheSamples.stored("/a", etag: "\"old\""), body: .data(Self.small))
        let new = CacheEntry(CacheSamples.stored("/a", etag: "\"new\""), body: .data(Self.small))
        memory.insert(new, bodySize: Self.small.count)
        memory.insertFound(old, bodySize: Self.small.count)
        #expect(memory.find(old.stored.key, lines: [])?.stored.head.value("ETag") == "\"new\"")
        memory.remove(old.stored.key)
        memory.insertFound(old, bodySize: Self.small.count)
        #expect(memory.find(old.stored.key, lines: [])?.stored.head.value("ETag") == "\"old\"")
        // A response that is too large only removes the previous one, as a removal unless it was read from disk.
        let removals = memory.removals
        memory.insertFound(CacheEntry(CacheSamples.stored("/large"), body: .data(Self.small)), bodySize: 900_000)
        #expect(memory.removals == removals)
        memory.insert(new, bodySize: 900_000)
        #expect(memory.find(old.stored.key, lines: []) == nil)
        #expect(memory.removals > removals)
        // A response that others replace counts as a removal too.
        memory.insert(old, bodySize: 90_000)
        let kept = memory.removals
        for number in 0..<20 {
            let other = CacheEntry(CacheSamples.stored("/\(number)"), body: .data(Self.small))
            memory.insert(other, bodySize: 90_000)
        }
        #expect(memory.find(old.stored.key, lines: []) == nil)
        #expect(memory.removals > kept)
    }

    @Test("Only the owner has access to files and folder") func permissions() throws {
        let folder = try TemporaryFolder()
        let inner = folder.url.appendingPathComponent("a/b")
        let cache = HTTPCache(diskCapacity: 10_000_000, directory: inner)
        #expect(!FileManager.default.fileExists(atPath: inner.path))
        CacheSamples.store("/a", Self.large, in: cache)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(inner.path) == 0o700)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: inner.path)
        #expect(paths.contains("ferry-cache/written") && paths.contains { $0.hasSuffix(".ferry-body") })
        for path in paths {
            let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: inner.path + "/" + path)) != nil
            #expect(try mode(inner.path + "/" + path) == (isFolder ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test("A newer response replaces the older one, including its body", arguments: [true, false])
    func replacing(_ isLarge: Bool) throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder)
        CacheSamples.store("/a", Self.large, in: cache)
        let data = isLarge ? LoopbackServer.pattern(count: 150_000) : Self.small
        CacheSamples.store("/a", data, in: cache)
        #expect(CacheSamples.body("/a", in: cache) == data)
        #expect(CacheSamples.body("/a", in: disk(folder)) == data)
        #expect(CacheSamples.files(folder).count == (isLarge ? 2 : 1))
    }

    @Test(
        "A response that was requested earlier does not replace a newer one",
        arguments: [small, large],
        [true, false]
    )
    func older(_ data: Data, _ isOnDisk: Bool) throws {
        let folder = try TemporaryFolder()
        let cache = isOnDisk ? disk(folder) : HTTPCache()
        CacheSamples.store("/a", data, in: cache, etag: "\"new\"")
        var older = CacheSamples.stored("/a", etag: "\"old\"")
        older.requestTime -= 60
        cache.begin().store(older, .data(Data("old".utf8)))
        for cache in isOnDisk ? [cache, disk(folder)] : [cache] {
            let found = try #require(cache.find(older.key, lines: []))
            #expect(found.stored.head.value("ETag") == "\"new\"")
            #expect(CacheSamples.read(found) == data)
        }
    }

    @Test("A response from before the clock was set back can be replaced", arguments: [true, false])
    func fromTheFuture(_ isOnDisk: Bool) throws {
        let folder = try TemporaryFolder()
        let cache = isOnDisk ? disk(folder) : HTTPCache()
        var future = CacheSamples.stored("/a")
        future.requestTime += 3600
        cache.begin().store(future, .data(Data("future".utf8)))
        CacheSamples.store("/a", Self.small, in: cache)
        #expect(CacheSamples.body("/a", in: cache) == Self.small)
    }

    @Test("An update does not bring back a response that was removed since its request")
    func updatingRemoved() throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder)
        let stored = CacheSamples.stored("/a", etag: "\"1\"")
        cache.begin().store(stored, .data(Self.small))
        let entry = try #require(cache.find(stored.key, lines: []))
        let ticket = cache.begin()
        cache.remove(stored.key)
        // The file exists again, as if it had not been deleted yet.
        disk(folder).begin().store(stored, .data(Self.small))
        _ = ticket.update(entry, to: CacheSamples.stored("/a", etag: "\"2\""))
        #expect(disk(folder).find(stored.key, lines: [])?.stored.head.value("ETag") == "\"1\"")
    }

    @Test("Variants are kept together until Vary names other fields") func variants() throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder)
        func store(_ text: String, _ names: [String], _ lines: [String]) {
            cache.begin().store(CacheSamples.stored("/a", vary: names, lines: lines), .data(Data(text.utf8)))
        }
        func found(_ lines: [String]) -> [String?] {
            [cache, disk(folder)].map { cache in
                CacheSamples.body("/a", in: cache, lines: lines).map { String(decoding: $0, as: UTF8.self) }
            }
        }
        store("one", ["foo"], ["Foo: 1"])
        store("two", ["foo"], ["Foo: 2"])
        #expect(found(["Foo: 1", "Bar: 9"]) == ["one", "one"])
        #expect(found(["foo: 2"]) == ["two", "two"])
        #expect(found(["Foo: 3"]) == [nil, nil])
        #expect(found([]) == [nil, nil])
        store("three", ["bar"], ["Bar: 1"])
        #expect(found(["Foo: 1"]) == [nil, nil])
        #expect(found(["Bar: 1"]) == ["three", "three"])
        store("four", [], [])
        #expect(found(["Bar: 1"]) == ["four", "four"])
        #expect(found([]) == ["four", "four"])
    }

    @Test("Removed responses and their variants do not reappear", arguments: [[], ["foo"]])
    func removing(_ names: [String]) throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder)
        let lines = ["Foo: 1"]
        func store() {
            cache.begin().store(CacheSamples.stored("/a", vary: names, lines: lines), .data(Self.small))
        }
        store()
        CacheSamples.store("/b", Self.large, in: cache)
        cache.remove(for: try #require(URL(string: "http://EXAMPLE.com/a#fragment")))
        for cache in [cache, disk(folder)] {
            #expect(CacheSamples.body("/a", in: cache, lines: lines) == nil)
            #expect(CacheSamples.body("/b", in: cache) == Self.large)
        }
        store()
        // Only the variant for `Foo: 1` was stored again.
        #expect(CacheSamples.body("/a", in: disk(folder), lines: ["Foo: 2"]) == (names.isEmpty ? Self.small : nil))
        cache.removeAll()
        #expect(CacheSamples.files(folder) == [])
        #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage == 0)
        #expect(CacheSamples.body("/b", in: cache) == nil)
    }

    @Test("Removing the responses to a URL leaves none of their bytes on the disk, and those of other URLs")
    func removingVariants() throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder)
        func store(_ names: [String], _ lines: [String], _ body: Data) {
            cache.begin().store(CacheSamples.stored("/a", vary: names, lines: lines), .data(body))
        }
        store(["foo"], ["Foo: 1"], Self.small)
        store(["foo"], ["Foo: 2"], Self.large)
        CacheSamples.store("/b", Self.small, in: cache)
        #expect(CacheSamples.files(folder).count == 4)
        // Other fields distinguish the variants from now on.
        store(["bar"], ["Bar: 1"], Self.small)
        cache.finishMaintenance()
        #expect(CacheSamples.files(folder).count == 3)
        cache.remove(for: try #require(URL(string: "http://example.com/a")))
        cache.finishMaintenance()
        #expect(CacheSamples.files(folder).count == 1)
        // A response without Vary takes the place of all variants.
        store(["foo"], ["Foo: 1"], Self.small)
        store([], [], Self.small)
        cache.finishMaintenance()
        #expect(CacheSamples.files(folder).count == 2)
        #expect(CacheSamples.body("/b", in: disk(folder)) == Self.small)
    }

    @Test("New metadata does not change the body", arguments: [small, large]) func updating(_ data: Data) throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder)
        CacheSamples.store("/a", data, in: cache, etag: "\"1\"")
        let entry = try #require(cache.find(CacheSamples.key("/a"), lines: []))
        let stored = CacheSamples.stored("/a", etag: "\"2\"")
        let updated = cache.begin().update(entry, to: stored)
        #expect(CacheSamples.read(updated) == data)
        let found = try #require(disk(folder).find(CacheSamples.key("/a"), lines: []))
        #expect(found.stored.head.value("ETag") == "\"2\"")
        #expect(CacheSamples.read(found) == data)
    }

    @Test("New metadata with another Vary does not change the body", arguments: [small, large])
    func updatingVary(_ data: Data) throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder)
        let lines = ["Foo: 1", "Bar: 2"]
        let body = try #require(CacheSamples.collect(data, for: cache))
        cache.begin().store(CacheSamples.stored("/a", vary: ["foo"], lines: lines), body)
        let entry = try #require(cache.find(CacheSamples.key("/a"), lines: lines))
        let updated = cache.begin().update(entry, to: CacheSamples.stored("/a", vary: ["foo", "bar"], lines: lines))
        cache.finishMaintenance()
        #expect(CacheSamples.read(updated) == data)
        #expect(CacheSamples.body("/a", in: disk(folder), lines: lines) == data)
    }

    @Test("Memory stays within its capacity, and the least recently used response is evicted first")
    func memoryEviction() throws {
        let cache = HTTPCache(memoryCapacity: 100_000)
        let body = LoopbackServer.pattern(count: 8000)
        for index in 0..<11 { CacheSamples.store("/\(index)", body, in: cache) }
        #expect(CacheSamples.body("/0", in: cache) != nil)
        CacheSamples.store("/new", body, in: cache)
        #expect(cache.currentMemoryUsage <= 100_000)
        #expect(CacheSamples.body("/0", in: cache) == body)
        #expect(CacheSamples.body("/1", in: cache) == nil)
        #expect(CacheSamples.body("/new", in: cache) == body)
    }

    @Test("The folder stays within its capacity, and the least recently used response is evicted first")
    func diskEviction() throws {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(memoryCapacity: 0, diskCapacity: 1_000_000, directory: folder.url)
        let body = LoopbackServer.pattern(count: 90_000)
        for index in 0..<8 {
            CacheSamples.store("/\(index)", body, in: cache)
            cache.finishMaintenance()
            // The order is that of the files' times, whose resolution may be coarse.
            let age = Double(100 - index) * 100
            for name in CacheSamples.files(folder) {
                let path = folder.url.path + "/" + name
                let date = try #require(FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
                guard date.timeIntervalSinceNow > -60 else { continue }
                let past: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -age)]
                try FileManager.default.setAttributes(past, ofItemAtPath: path)
            }
        }
        // Finding a response counts as using it.
        #expect(CacheSamples.body("/0", in: cache) == body)
        for index in 8..<14 {
            CacheSamples.store("/\(index)", body, in: cache)
            #expect(cache.currentDiskUsage <= 1_000_000)
            cache.finishMaintenance()
        }
        #expect(CacheSamples.body("/1", in: cache) == nil)
        #expect(CacheSamples.body("/0", in: cache) == body)
        #expect(CacheSamples.body("/13", in: cache) == body)
    }

    @Test("A body larger than a tenth of the capacity is not stored, and leaves no file") func tooLarge() throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder, capacity: 1_000_000)
        #expect(CacheSamples.collect(LoopbackServer.pattern(count: 100_001), for: cache) == nil)
        #expect(CacheBodyWriter(cache.bodyLimits, expectedLength: 100_001) == nil)
        #expect(CacheSamples.files(folder) == [])
        let inMemory = HTTPCache(memoryCapacity: 100_000)
        #expect(CacheSamples.collect(LoopbackServer.pattern(count: 10_001), for: inMemory) == nil)
        #expect(CacheSamples.collect(LoopbackServer.pattern(count: 200_000), for: HTTPCache(memoryCapacity: 0)) == nil)
    }

    @Test("A body that is abandoned leaves no file") func givenUp() throws {
        let folder = try TemporaryFolder()
        let cache = disk(folder)
        var body = CacheSamples.collect(Self.large, for: cache)
        #expect(CacheSamples.files(folder).count == 1)
        withExtendedLifetime(body) {}
        body = nil
        #expect(CacheSamples.files(folder) == [])
    }
}
