/// The file of an upload, which is read on a queue of its own, and must not change meanwhile.
final class UploadSource: Sendable {
    private let file: RegularFile
    private let queue = FileQueue(convert: FileUploadError.init)
    private let version: FileVersion

    var size: Int64 { version.size }

    /// Opens the file, which may be the target of a link.
    init(path: String) async throws {
        (file, version) = try await queue.run {
            let file = try RegularFile(reading: path, links: .follow)
            return (file, FileVersion(try file.status()))
        }
    }

    /// Reads a part, which must be there completely.
    func read(_ part: Range<Int64>) async throws -> Data {
        try await queue.run { [file, version] in
            let data = try file.read(part)
            guard FileVersion(try file.status()) == version, data.count == part.count else {
                throw FileUploadError.fileChanged(path: file.path)
            }
            return data
        }
    }

    func digest(_ algorithm: ContentDigest.Algorithm, of part: Range<Int64>) async throws -> ContentDigest? {
        var hash = DigestHash(algorithm)
        var position = part.lowerBound
        while position < part.upperBound {
            try Task.checkCancellation()
            let end = min(part.upperBound, position + Int64(UploadPieces.size))
            try await read(position..<end).withUnsafeBytes { hash.update($0) }
            position = end
        }
        return ContentDigest(algorithm, hash.bytes)
    }
}

/// The pieces of a part of a file, for the body of a request.
struct UploadPieces: AsyncSequence, Sendable {
    let source: UploadSource
    let part: Range<Int64>
    let limit: BandwidthLimit?
    /// Called with the number of bytes of each piece before it is returned.
    let willSend: @Sendable (Int) -> Void

    fileprivate static let size = 262_144

    struct AsyncIterator: AsyncIteratorProtocol {
        let pieces: UploadPieces
        var position: Int64

        mutating func next() async throws -> Data? {
            guard position < pieces.part.upperBound else { return nil }
            let size = Swift.min(UploadPieces.size, pieces.limit?.pieceSize ?? UploadPieces.size)
            let end = Swift.min(pieces.part.upperBound, position + Int64(size))
            let data = try await pieces.source.read(position..<end)
            try await pieces.limit?.take(data.count)
            position += Int64(data.count)
            pieces.willSend(data.count)
            return data
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self, position: part.lowerBound) }
}

extension RequestBody {
    /// Makes a body of a regular file, or a part of it, that is read while it is sent, and again if it is sent again.
    ///
    /// The file must not change until then: the request fails with ``FileUploadError/fileChanged(path:)``.
    ///
    /// - Throws: A ``FileUploadError`` if the file cannot be opened, or does not have the bytes.
    public init(file: URL, range: Range<Int64>? = nil) async throws {
        let source = try await UploadSource(path: file.path)
        let part = range ?? 0..<source.size
        guard part.lowerBound >= 0, part.upperBound <= source.size else {
            throw FileUploadError.file(path: file.path, code: EINVAL, reason: "The file has \(source.size) bytes")
        }
        self.init(length: Int64(part.count)) { UploadPieces(source: source, part: part, limit: nil) { _ in } }
    }
}
