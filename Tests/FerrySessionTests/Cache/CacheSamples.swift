@testable import FerrySession

/// Responses as stored by the cache.
enum CacheSamples {
    static func key(_ path: String) -> String { "http://example.com:80\(path)" }

    static func stored(
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

    /// Collects bytes in pieces, as a transfer does.
    static func collect(_ data: Data, for cache: HTTPCache) -> CollectedBody? {
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
    static func store(_ path: String, _ data: Data, in cache: HTTPCache, etag: String? = nil) -> Bool {
        guard let body = collect(data, for: cache) else { return false }
        cache.store(stored(path, etag: etag), body)
        return true
    }

    /// Returns the complete body of a stored response, or `nil` if it is missing or damaged.
    static func body(_ path: String, in cache: HTTPCache, lines: [String] = []) -> Data? {
        cache.find(key(path), lines: lines).flatMap(read)
    }

    static func read(_ entry: CacheEntry) -> Data? {
        let reader = CacheBodyReader(entry.body)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { scratch.deallocate() }
        var data = Data()
        while true {
            let isWhole = reader.next(scratch: scratch) { piece -> Bool? in
                switch piece {
                case .bytes(let bytes):
                    data.append(contentsOf: bytes)
                    return nil
                case .skipped: return nil
                case .end: return true
                case .damaged: return false
                }
            }
            if let isWhole { return isWhole ? data : nil }
        }
    }
}
