import FerryCache
import Testing

/// Responses as stored by the cache.
package enum CacheSamples {
    package static func key(_ path: String) -> String { "http://example.com:80\(path)" }

    package static func stored(
        _ path: String,
        etag: String? = nil,
        vary names: [String] = [],
        lines: [String] = []
    ) -> StoredResponse {
        StoredResponse(
            key: key(path),
            head: ResponseHead(
                version: "HTTP/1.1",
                status: 200,
                fields: [.init(name: "Cache-Control", value: "max-age=600")]
                    + (etag.map { [.init(name: "ETag", value: $0)] } ?? [])
            ),
            isDecoded: false,
            requestTime: Date(),
            responseTime: Date(),
            selectingNames: names,
            variant: CacheKey.variant(names, lines: lines)
        )
    }

    /// Returns the sorted paths of the responses and bodies in a folder, including those that are being written.
    package static func files(_ folder: TemporaryFolder) -> [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.url.path)) ?? []
        let isFile = { (path: String) in
            [".ferry-response", ".ferry-body", ".ferry-part"].contains { path.hasSuffix($0) }
        }
        return paths.filter { $0.hasPrefix("ferry-cache/") && isFile($0) }.sorted()
    }

    /// Returns the total size of the cache's files according to the file system.
    package static func size(_ folder: TemporaryFolder) -> Int {
        files(folder).reduce(0) { sum, path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path(path))
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    /// Sets the time of the last use of a response with a small body, in seconds before now.
    package static func age(_ path: String, by seconds: Int, _ folder: TemporaryFolder) throws {
        let past: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -Double(seconds))]
        let file = folder.path("ferry-cache/" + CacheName(hashing: key(path)).path)
        guard FileManager.default.fileExists(atPath: file) else { return }
        try FileManager.default.setAttributes(past, ofItemAtPath: file)
    }

    /// Changes a byte of the only body in a folder.
    package static func damageBody(in folder: TemporaryFolder, at offset: UInt64) throws {
        let path = try #require(files(folder).first { $0.hasSuffix(".ferry-body") })
        let handle = try FileHandle(forUpdating: folder.file(path))
        try handle.seek(toOffset: offset)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data([byte ^ 1]))
        try handle.close()
    }

    /// Collects bytes in pieces, as a transfer does.
    package static func collect(_ data: Data, for cache: HTTPCache) -> CollectedBody? {
        guard let writer = CacheBodyWriter(cache.bodyLimits, expectedLength: 0) else { return nil }
        var rest = data
        while !rest.isEmpty {
            let piece = Data(rest.prefix(10_000))
            guard piece.withUnsafeBytes({ writer.append($0) }) else { return nil }
            rest = Data(rest.dropFirst(10_000))
        }
        return writer.finish()
    }

    @discardableResult
    package static func store(_ path: String, _ data: Data, in cache: HTTPCache, etag: String? = nil) -> Bool {
        guard let body = collect(data, for: cache) else { return false }
        cache.begin().store(stored(path, etag: etag), body)
        return true
    }

    /// Returns the complete body of a stored response, or `nil` if it is missing or damaged.
    package static func body(_ path: String, in cache: HTTPCache, lines: [String] = []) -> Data? {
        cache.find(key(path), lines: lines).flatMap(read)
    }

    package static func read(_ entry: CacheEntry) -> Data? {
        let reader = CacheBodyReader(entry.body)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: CacheBodyFile.blockSize, alignment: 16)
        defer { scratch.deallocate() }
        var data = Data()
        while true {
            let isWhole = reader.next(scratch: scratch) { piece -> Bool? in
                switch piece {
                case .bytes(let bytes):
                    data.append(contentsOf: bytes)
                    return nil
                case .end: return true
                case .damaged: return false
                }
            }
            if let isWhole { return isWhole ? data : nil }
        }
    }
}
