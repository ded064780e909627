import FerryTesting
import Testing

@testable import FerryCache

/// Files that are truncated, were written by another program, or are missing.
@Suite struct CacheFileTests {
    static let small = Data("small".utf8)
    static let large = LoopbackServer.pattern(count: 200_000)
    private static let response = CacheName.Kind.response.suffix
    private static let body = CacheName.Kind.body.suffix

    private func cache(_ folder: TemporaryFolder) -> HTTPCache {
        HTTPCache(diskCapacity: 10_000_000, directory: folder.url)
    }

    private func file(_ folder: TemporaryFolder, _ suffix: String) throws -> URL {
        folder.file(try #require(CacheSamples.files(folder).first { $0.hasSuffix(suffix) }))
    }

    @Test("A written record is read back") func roundTrip() throws {
        let record = CacheFile.Record(stored: CacheSamples.stored("/a", vary: ["foo"], lines: ["Foo: 1"]))
        let bytes = try #require(CacheFile.encode(record, body: Self.small))
        let decoded = try #require(CacheFile.decode(bytes))
        #expect(decoded.record == record && decoded.body == Self.small)
    }

    @Test("A record under the name of another key is a miss") func otherKey() throws {
        let folder = try TemporaryFolder()
        let cache = CacheFolder(url: folder.url, capacity: 10_000_000)
        let keys = ["/a", "/b"].map(CacheSamples.key)
        let paths = keys.map { cache.path(CacheName(hashing: $0)) }
        _ = cache.store(CacheSamples.stored("/a"), .data(Self.small))
        let parent = URL(fileURLWithPath: paths[1]).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: paths[0], toPath: paths[1])
        #expect(keys.map { cache.find($0, lines: []) != nil } == [true, false])
    }

    @Test("The fields of a response count as memory") func cost() {
        let (plain, tagged) = (CacheSamples.stored("/a"), CacheSamples.stored("/a", etag: "12345678"))
        #expect(tagged.cost - plain.cost == "ETag12345678".utf8.count)
    }

    @Test("Every truncated or changed byte is detected") func damage() throws {
        let record = CacheFile.Record(stored: CacheSamples.stored("/a"))
        let bytes = try #require(CacheFile.encode(record, body: Self.small))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x10
            #expect(CacheFile.decode(changed) == nil)
            #expect(CacheFile.decode(bytes.prefix(index)) == nil)
        }
        #expect(CacheFile.decode(bytes + Data([0])) == nil)
        #expect(CacheFile.decode(Data(count: 4096)) == nil)
        var other = bytes
        other[7] = 2
        #expect(CacheFile.decode(other) == nil)
    }

    @Test("Random bytes never trap") func fuzz() {
        var random = SeededGenerator(7)
        let magic = Data("FerryHC\u{1}".utf8)
        for _ in 0..<2000 {
            let noise = Data(
                (0..<Int.random(in: 0...80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            )
            #expect(CacheFile.decode(noise) == nil)
            #expect(CacheFile.decode(magic + noise) == nil)
        }
    }

    /// Returns a record with one field changed and a valid checksum.
    private static func forged(_ record: CacheFile.Record, _ field: String, _ value: Any) throws -> Data {
        var json = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(record)) as? [String: Any])
        let path = field.split(separator: ".").map(String.init)
        func set(_ object: [String: Any], _ path: ArraySlice<String>) -> [String: Any] {
            guard let name = path.first else { return object }
            var object = object
            object[name] = path.count == 1 ? value : set(object[name] as? [String: Any] ?? [:], path.dropFirst())
            return object
        }
        json = set(json, path[...])
        return try #require(CacheFile.seal(try JSONSerialization.data(withJSONObject: json), Data()))
    }

    @Test(
        "A record that Ferry would not have written is not read, even with a valid checksum",
        arguments: [
            ("bodyLength", -1), ("bodyLength", 5), ("bodyName", "../../etc/passwd"), ("bodyName", "00.ferry-response"),
            ("stored.head.status", 100), ("stored.head.status", Int.max), ("stored.head.version", "HTTP/1.1\r\nX: 1"),
            ("stored.head.fields", [["name": "A", "value": "b\r\nC: d", "isLatin1": false] as [String: any Sendable]]),
            ("stored.head.fields", [["name": "", "value": "b", "isLatin1": false] as [String: any Sendable]]),
            ("stored.requestTime", 1e300), ("stored.responseTime", -1e300), ("stored.selectingNames", ["a b"]),
            ("variants", ["names": ["accept"], "generation": "0123456789abcdef"] as [String: any Sendable]),
        ] as [(String, any Sendable)]
    )
    func forgery(_ field: String, _ value: any Sendable) throws {
        let record = CacheFile.Record(stored: CacheSamples.stored("/a"))
        #expect(CacheFile.decode(try #require(CacheFile.encode(record, body: nil))) != nil)
        #expect(CacheFile.decode(try Self.forged(record, field, value)) == nil)
    }

    @Test(
        "Variants that name a file of another form are not read",
        arguments: ["", "../../../../tmp/x", "0123456789abcdeF", "0123456789abcdef0"]
    )
    func forgedVariants(_ generation: String) throws {
        let variants = CacheFile.Variants(names: ["accept"], generation: "0123456789abcdef")
        let record = CacheFile.Record(variants: variants)
        #expect(CacheFile.decode(try #require(CacheFile.encode(record, body: nil))) != nil)
        #expect(CacheFile.decode(try Self.forged(record, "variants.generation", generation)) == nil)
    }

    @Test("A pipe in place of a response or its body is a miss, and does not block") func pipes() throws {
        for (data, suffix) in [(Self.small, Self.response), (Self.large, Self.body)] {
            let folder = try TemporaryFolder()
            CacheSamples.store("/a", data, in: cache(folder))
            let file = try file(folder, suffix)
            try FileManager.default.removeItem(at: file)
            #expect(mkfifo(file.path, 0o600) == 0)
            #expect(CacheSamples.body("/a", in: cache(folder)) == nil)
        }
    }

    @Test("Sparse files of the largest possible size are counted, and evicted first") func sparse() throws {
        let folder = try TemporaryFolder()
        // The largest size in this file system; the sum of the sizes overflows only on some file systems.
        for _ in 0..<3 {
            let url = folder.file("ferry-cache/" + CacheName(randomFor: .body).path)
            let parent = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            let file = try RegularFile(creating: url.path)
            var size = Int64.max / 2
            while (try? file.truncate(to: size)) == nil, size > 0 { size /= 2 }
        }
        let unlimited = HTTPCache(diskCapacity: .max, directory: folder.url)
        #expect(unlimited.currentDiskUsage > 10_000_000)
        unlimited.finishMaintenance()
        let cache = cache(folder)
        CacheSamples.store("/a", Self.small, in: cache)
        cache.finishMaintenance()
        #expect(cache.currentDiskUsage < 10_000_000)
        #expect(CacheSamples.body("/a", in: cache) == Self.small)
    }

    @Test(
        "A file with invalid content is a miss, and is removed",
        arguments: ["", "garbage", "FerryHC\u{1}garbage and more of it"]
    )
    func garbage(_ text: String) throws {
        let folder = try TemporaryFolder()
        CacheSamples.store("/a", Self.small, in: cache(folder))
        let file = try file(folder, Self.response)
        try Data(text.utf8).write(to: file)
        #expect(CacheSamples.body("/a", in: cache(folder)) == nil)
        #expect(CacheSamples.files(folder) == [])
        // The next response can be stored there.
        CacheSamples.store("/a", Self.small, in: cache(folder))
        #expect(CacheSamples.body("/a", in: cache(folder)) == Self.small)
    }

    @Test("Anything but a regular file in its place is a miss") func notAFile() throws {
        let folder = try TemporaryFolder()
        CacheSamples.store("/a", Self.small, in: cache(folder))
        let file = try file(folder, Self.response)
        try FileManager.default.removeItem(at: file)
        let secret = try TemporaryFile(Data("secret".utf8))
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: secret.url)
        #expect(CacheSamples.body("/a", in: cache(folder)) == nil)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(CacheSamples.body("/a", in: cache(folder)) == nil)
        #expect(!CacheSamples.store("/a", Self.small, in: cache(folder)) || CacheSamples.files(folder).count == 1)
    }

    @Test("A large body that is missing or too short is a miss", arguments: [true, false]) func bodyGone(
        _ isGone: Bool
    ) throws {
        let folder = try TemporaryFolder()
        CacheSamples.store("/a", Self.large, in: cache(folder))
        let body = try file(folder, Self.body)
        if isGone {
            try FileManager.default.removeItem(at: body)
        } else {
            try Self.large.prefix(1000).write(to: body)
        }
        #expect(cache(folder).find(CacheSamples.key("/a"), lines: []) == nil)
        #expect(!CacheSamples.files(folder).contains { $0.hasSuffix(Self.response) })
    }

    @Test("No changed byte of a large body is read", arguments: [0, 65_535, 65_536, 199_999, 200_000, 200_031])
    func bodyChanged(_ place: Int) throws {
        let folder = try TemporaryFolder()
        CacheSamples.store("/a", Self.large, in: cache(folder))
        let file = try file(folder, Self.body)
        var bytes = try Data(contentsOf: file)
        #expect(bytes.count == 200_032)
        bytes[place] ^= 1
        try bytes.write(to: file)
        let entry = cache(folder).find(CacheSamples.key("/a"), lines: [])
        // A response whose first block or checksums are damaged is not found.
        #expect((entry == nil) == (place < 65_536 || place >= 200_000))
        guard let entry else { return #expect(CacheSamples.files(folder) == []) }
        let reader = CacheBodyReader(entry.body)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: CacheBodyFile.blockSize, alignment: 16)
        defer { scratch.deallocate() }
        var intact = Data()
        while reader.next(
            scratch: scratch,
            { piece in
                guard case .bytes(let bytes) = piece else { return false }
                intact.append(contentsOf: bytes)
                return true
            }
        ) {}
        #expect(intact == Self.large.prefix(place / 65_536 * 65_536))
        // A part is read from intact blocks only.
        let other = CacheBodyReader(entry.body, part: 10..<20)
        #expect(other.next(scratch: scratch) { if case .bytes(let bytes) = $0 { bytes.count == 10 } else { false } })
    }

    @Test("An entry that was found can be read after it was removed") func readAfterRemoval() throws {
        let folder = try TemporaryFolder()
        let cache = cache(folder)
        CacheSamples.store("/a", Self.large, in: cache)
        let entry = try #require(cache.find(CacheSamples.key("/a"), lines: []))
        cache.removeAll()
        #expect(CacheSamples.read(entry) == Self.large)
    }

    @Test("Files left by a crash are removed, and files with other names are kept") func leftovers() throws {
        let folder = try TemporaryFolder()
        let first = cache(folder)
        CacheSamples.store("/b", Self.small, in: first)
        first.finishMaintenance()
        let parts = folder.file("ferry-cache/parts")
        let old = parts.appendingPathComponent(UUID().uuidString + CacheFolder.partSuffix)
        let young = parts.appendingPathComponent(UUID().uuidString + CacheFolder.partSuffix)
        let removed = folder.file("ferry-cache-removed-\(UUID().uuidString)/ab")
        try FileManager.default.createDirectory(at: removed, withIntermediateDirectories: true)
        let left = removed.appendingPathComponent(CacheName(randomFor: .body).fileName)
        let foreign = [
            "notes.txt", "x.ferry-response", "..ferry-body", "a.b.ferry-part", "backup.ferry-part.old",
            "ferry-cache-removed-notes.txt", "ferry-cache-removed-\(UUID())",
        ]
        for url in [old, young, left] + foreign.map(folder.file) { try Self.small.write(to: url) }
        let past: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -7200)]
        try FileManager.default.setAttributes(past, ofItemAtPath: old.path)
        let cache = cache(folder)
        CacheSamples.store("/a", Self.small, in: cache)
        cache.finishMaintenance()
        #expect(!FileManager.default.fileExists(atPath: old.path))
        #expect(FileManager.default.fileExists(atPath: young.path))
        #expect(folder.names == (foreign + ["ferry-cache"]).sorted())
        cache.removeAll()
        cache.finishMaintenance()
        #expect(folder.names == foreign.sorted())
    }

    @Test("Without a folder, only memory is used") func noFolder() throws {
        let file = try TemporaryFile()
        let cache = HTTPCache(diskCapacity: 10_000_000, directory: file.url.appendingPathComponent("folder"))
        #expect(CacheSamples.store("/a", Self.small, in: cache))
        #expect(CacheSamples.body("/a", in: cache) == Self.small)
        #expect(!CacheSamples.store("/b", Self.large, in: cache))
        #expect(cache.currentDiskUsage == 0)
        cache.removeAll()
        #expect(CacheSamples.body("/a", in: cache) == nil)
    }
}
