/// A body collected for the cache.
package enum CollectedBody: Sendable {
    case data(Data)
    case part(CachePart)

    /// The bytes, or `nil` if they cannot be read.
    package var data: Data? {
        switch self {
        case .data(let data): data
        case .part(let part): part.contents()
        }
    }
}

/// Collects the body of a response while it is delivered: in memory if it is small, or else in a file.
package final class CacheBodyWriter {
    private let limits: HTTPCache.BodyLimits
    private var buffer = ByteBuffer()
    private var part: CachePart?
    private var count = 0

    /// Makes a writer; `nil` if the body is already known to be too large.
    package init?(_ limits: HTTPCache.BodyLimits, expectedLength: ByteCount?) {
        guard expectedLength?.int64 ?? 0 <= Int64(limits.largest) else { return nil }
        self.limits = limits
    }

    /// Appends bytes and returns whether the body can still be stored.
    package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        count += bytes.count
        guard count <= limits.largest else { return false }
        if let part { return part.write(bytes) }
        if count <= limits.inMemory { return buffer.append(bytes) }
        guard let folder = limits.folder, let part = CachePart(folder: folder) else { return false }
        self.part = part
        let start = buffer.takeData()
        return start.withUnsafeBytes { part.write($0) } && part.write(bytes)
    }

    package func finish() -> CollectedBody { part.map { .part($0) } ?? .data(buffer.takeData()) }
}

/// A file of the cache that is being written; it is deleted with this object unless it is published.
///
/// `@unchecked Sendable`: it is written by one thread, and the length and name are read afterwards.
package final class CachePart: @unchecked Sendable {
    private let folder: CacheFolder
    private let file: RegularFile
    package private(set) var length = 0
    /// The checksum of the last block.
    private var blockChecksum = ByteHash()
    private var blockChecksums = Data()
    private var isPublished = false

    /// The checksum of the blocks' checksums.
    package var checksum: UInt64 { ByteHash.of(blockChecksums) }

    /// Creates the file, and the folder if it is missing; `nil` if that is not possible.
    package init?(folder: CacheFolder) {
        guard let file = folder.makePart() else { return nil }
        (self.folder, self.file) = (folder, file)
    }

    deinit {
        if !isPublished { unlink(file.path) }
    }

    /// Appends bytes and returns whether they could be written.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard (try? file.write(bytes, at: Int64(length))) != nil else { return false }
        var rest = bytes
        while !rest.isEmpty {
            let missing = CacheBodyFile.blockSize - length % CacheBodyFile.blockSize
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(missing))
            blockChecksum.update(piece)
            length += piece.count
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
            if piece.count == missing { endBlock() }
        }
        return true
    }

    private func endBlock() {
        blockChecksums.append(littleEndian: blockChecksum.value)
        blockChecksum = ByteHash()
    }

    /// Returns everything written so far, mapped into memory; it stays readable if the file is renamed or deleted.
    package func contents() -> Data? { try? file.mapped(count: length) }

    /// Closes and renames the file, replacing another one of that name.
    package func publish(as name: CacheName) -> Bool {
        guard !isPublished, let size = try? file.size(), (try? file.close()) != nil,
            folder.publish(file.path, as: name, size: size)
        else { return false }
        isPublished = true
        return true
    }

    /// Adds the checksums, renames the file to make it a body, and returns the new name.
    package func adopt() -> CacheName? {
        if length % CacheBodyFile.blockSize > 0 { endBlock() }
        let name = CacheName(randomFor: .body)
        guard (try? file.write(blockChecksums, at: Int64(length))) != nil else { return nil }
        return publish(as: name) ? name : nil
    }
}
