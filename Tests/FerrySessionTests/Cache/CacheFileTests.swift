import FerryTesting
import Testing

@testable import FerrySession

/// Files that are truncated, were written by another program, or are missing.
@Suite struct CacheFileTests {
    static let small = Data("small".utf8)
    static let large = LoopbackServer.pattern(count: 200_000)

    private func cache(_ folder: TemporaryFolder) -> HTTPCache {
        HTTPCache(diskCapacity: 10_000_000, directory: folder.url)
    }

    private func file(_ folder: TemporaryFolder, _ suffix: String) throws -> URL {
        folder.url.appendingPathComponent(try #require(folder.names.first { $0.hasSuffix(suffix) }))
    }

    @Test("A written record is read back") func roundTrip() throws {
        let record = CacheFile.Record(stored: CacheSamples.stored("/a", vary: ["foo"], lines: ["Foo: 1"]))
        let bytes = try #require(CacheFile.encode(record, body: Self.small))
        let decoded = try #require(CacheFile.decode(bytes))
        #expect(decoded.record == record && decoded.body == Self.small)
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
        let folder = try TemporaryFolder()
        for (data, suffix) in [(Self.small, CacheFolder.entrySuffix), (Self.large, CacheFolder.bodySuffix)] {
            CacheSamples.store("/a", data, in: cache(folder))
            let file = try file(folder, suffix)
            try FileManager.default.removeItem(at: file)
            #expect(mkfifo(file.path, 0o600) == 0)
            #expect(CacheSamples.body("/a", in: cache(folder)) == nil)
            for name in folder.names { try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name)) }
        }
    }

    @Test("Sparse files of the largest possible size are counted, and evicted first") func sparse() throws {
        let folder = try TemporaryFolder()
        // The largest size of the file system; only on some does their sum overflow.
        for _ in 0..<3 {
            let name = UUID().uuidString + CacheFolder.bodySuffix
            let file = try RegularFile(creating: folder.url.appendingPathComponent(name).path)
            var size = Int64.max / 2
            while (try? file.truncate(to: size)) == nil, size > 0 { size /= 2 }
        }
        let cache = cache(folder)
        #expect(cache.currentDiskUsage > 0)
        CacheSamples.store("/a", Self.small, in: cache)
        #expect(cache.currentDiskUsage < 10_000_000)
    }

    @Test("The checksum does not depend on how the bytes are split") func checksum() {
        let data = LoopbackServer.pattern(count: 1003)
        func sum(_ size: Int) -> UInt64 {
            var checksum = CacheChecksum()
            var rest = data[...]
            while !rest.isEmpty {
                rest.prefix(size).withUnsafeBytes { checksum.update($0) }
                rest = rest.dropFirst(size)
            }
            return checksum.value
        }
        let whole = sum(2000)
        for size in [1, 3, 7, 8, 9, 64, 100] { #expect(sum(size) == whole) }
        var zeros = CacheChecksum()
        Data(count: 3).withUnsafeBytes { zeros.update($0) }
        #expect(zeros.value != CacheChecksum().value)
    }

    @Test(
        "A file with invalid content is a miss, and is removed",
        arguments: ["", "garbage", "FerryHC\u{1}garbage and more of it"]
    )
    func garbage(_ text: String) throws {
        let folder = try TemporaryFolder()
        CacheSamples.store("/a", Self.small, in: cache(folder))
        let file = try file(folder, CacheFolder.entrySuffix)
        try Data(text.utf8).write(to: file)
        #expect(CacheSamples.body("/a", in: cache(folder)) == nil)
        #expect(folder.names == [])
        // The next response can be stored there.
        CacheSamples.store("/a", Self.small, in: cache(folder))
        #expect(CacheSamples.body("/a", in: cache(folder)) == Self.small)
    }

    @Test("Anything but a regular file in its place is a miss") func notAFile() throws {
        let folder = try TemporaryFolder()
        CacheSamples.store("/a", Self.small, in: cache(folder))
        let file = try file(folder, CacheFolder.entrySuffix)
        try FileManager.default.removeItem(at: file)
        let secret = try TemporaryFile(Data("secret".utf8))
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: secret.url)
        #expect(CacheSamples.body("/a", in: cache(folder)) == nil)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(CacheSamples.body("/a", in: cache(folder)) == nil)
        #expect(!CacheSamples.store("/a", Self.small, in: cache(folder)) || folder.names.count == 1)
    }

    @Test("A large body that is missing or too short is a miss", arguments: [true, false]) func bodyGone(
        _ isGone: Bool
    ) throws {
        let folder = try TemporaryFolder()
        CacheSamples.store("/a", Self.large, in: cache(folder))
        let body = try file(folder, CacheFolder.bodySuffix)
        if isGone {
            try FileManager.default.removeItem(at: body)
        } else {
            try Self.large.prefix(1000).write(to: body)
        }
        #expect(cache(folder).find(CacheSamples.key("/a"), lines: []) == nil)
        #expect(!folder.names.contains { $0.hasSuffix(CacheFolder.entrySuffix) })
    }

    @Test("A large body with changed bytes is detected at its end") func bodyChanged() throws {
        let folder = try TemporaryFolder()
        CacheSamples.store("/a", Self.large, in: cache(folder))
        var changed = Self.large
        changed[100_000] ^= 1
        try changed.write(to: try file(folder, CacheFolder.bodySuffix))
        let entry = try #require(cache(folder).find(CacheSamples.key("/a"), lines: []))
        #expect(CacheSamples.read(entry) == nil)
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
        let old = folder.url.appendingPathComponent(UUID().uuidString + CacheFolder.partSuffix)
        let young = folder.url.appendingPathComponent(UUID().uuidString + CacheFolder.partSuffix)
        let foreign = ["notes.txt", "x.ferry-response", "..ferry-body", "a.b.ferry-part", "backup.ferry-part.old"]
        for url in [old, young] { try Self.small.write(to: url) }
        for name in foreign { try Self.small.write(to: folder.url.appendingPathComponent(name)) }
        let past: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -7200)]
        try FileManager.default.setAttributes(past, ofItemAtPath: old.path)
        let cache = cache(folder)
        CacheSamples.store("/a", Self.small, in: cache)
        #expect(!FileManager.default.fileExists(atPath: old.path))
        #expect(FileManager.default.fileExists(atPath: young.path))
        cache.removeAll()
        #expect(folder.names.sorted() == foreign.sorted())
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
