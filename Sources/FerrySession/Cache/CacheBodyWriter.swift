/// A body that was collected for the cache.
enum CollectedBody: Sendable {
    case data(Data)
    case part(CachePart)

    /// The bytes.
    var data: Data? {
        switch self {
        case .data(let data): data
        case .part(let part): part.contents()
        }
    }
}

/// Collects the body of a response while it is delivered: in memory while it is small, else in a file.
final class CacheBodyWriter {
    private let limits: HTTPCache.BodyLimits
    private var buffer = ByteBuffer()
    private var part: CachePart?
    private var count = 0

    /// `nil` for a body that is too large, as far as that is known.
    init?(_ limits: HTTPCache.BodyLimits, expectedLength: ByteCount?) {
        guard expectedLength?.int64 ?? 0 <= Int64(limits.largest) else { return nil }
        self.limits = limits
    }

    /// Takes bytes, and answers whether the body can still be stored.
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
