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

    func finish() -> CollectedBody { part.map { .part($0) } ?? .data(buffer.takeData()) }
}

/// A file of the cache that is being written; it is deleted with this object unless it is published.
///
/// `@unchecked Sendable`: it is written by one thread, and the length and name are read afterwards.
final class CachePart: @unchecked Sendable {
    private let folder: CacheFolder
    private let name: String
    private let file: RegularFile
    private(set) var length = 0
    private var sum = CacheChecksum()
    private var isPublished = false

    var checksum: UInt64 { sum.value }

    /// Creates the file, and the folder if it is missing; `nil` if that is not possible.
    init?(folder: CacheFolder) {
        self.folder = folder
        name = UUID().uuidString + CacheFolder.partSuffix
        guard let file = Self.makeFile(folder.path(name), in: folder.url) else { return nil }
        self.file = file
    }

    private static func makeFile(_ path: String, in folder: URL) -> RegularFile? {
        do throws(FileError) {
            return try RegularFile(creating: path)
        } catch {
            guard error.code == ENOENT else { return nil }
        }
        try? FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        return try? RegularFile(creating: path)
    }

    deinit {
        if !isPublished { folder.delete(name) }
    }

    /// Appends bytes and returns whether they could be written.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard (try? file.write(bytes, at: Int64(length))) != nil else { return false }
        length += bytes.count
        sum.update(bytes)
        return true
    }

    /// Returns everything written so far, mapped into memory; it stays readable if the file is renamed or deleted.
    func contents() -> Data? { try? file.mapped(count: length) }

    /// Closes and renames the file, replacing another one of that name.
    func publish(as final: String) -> Bool {
        guard !isPublished, (try? file.close()) != nil, rename(folder.path(name), folder.path(final)) == 0 else {
            return false
        }
        isPublished = true
        return true
    }

    /// Renames the file to make it a body, and returns the new name.
    func adopt() -> String? {
        let body = String(name.dropLast(CacheFolder.partSuffix.count)) + CacheFolder.bodySuffix
        return publish(as: body) ? body : nil
    }
}
