/// A body collected for the cache.
enum CollectedBody: Sendable {
    case data(Data)
    case part(CachePart)

    /// The bytes, or `nil` if they cannot be read.
    var data: Data? {
        switch self {
        case .data(let data): data
        case .part(let part): part.contents()
        }
    }
}

/// Collects the body of a response while it is delivered: in memory if it is small, or else in a file.
final class CacheBodyWriter {
    private let limits: HTTPCache.BodyLimits
    private var buffer = ByteBuffer()
    private var part: CachePart?
    private var count = 0

    /// Makes a writer; `nil` if the body is already known to be too large.
    init?(_ limits: HTTPCache.BodyLimits, expectedLength: ByteCount?) {
        guard expectedLength?.int64 ?? 0 <= Int64(limits.largest) else { return nil }
        self.limits = limits
    }

    /// Appends bytes and returns whether the body can still be stored.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        count += bytes.count
        guard count <= limits.largest else { return false }
        if let part { return part.write(bytes) }
        if count <= limits.inMemory { return buffer.append(bytes) }
        guard let folder = limits.folder, let part = CachePart(folder: folder) else { return false }
        self.part = part
        let start = buffer.takeData()
        return start.withUnsafeBytes { part.write($0) } && part.write(bytes)
    }

    func finish() -> CollectedBody {
        if let part { return .part(part) }
        return .data(buffer.takeData())
    }
}
