/// The body of a stored response.
enum CacheBody: Sendable {
    case data(Data)
    case file(CacheBodyFile)

    /// The length in bytes.
    var length: Int {
        switch self {
        case .data(let data): data.count
        case .file(let file): file.length
        }
    }
}

/// The open file of a stored body, which can be read to its end even if it is renamed or deleted.
///
/// `@unchecked Sendable`: nothing changes, and each read specifies its offset.
final class CacheBodyFile: @unchecked Sendable {
    let name: String
    let length: Int
    let checksum: UInt64
    private let file: RegularFile

    /// Opens a file; `nil` if it does not exist or has another length.
    init?(path: String, name: String, length: Int, checksum: UInt64) {
        guard length >= 0, let file = CacheFile.open(path), (try? file.size()) == Int64(length) else { return nil }
        (self.name, self.length, self.checksum, self.file) = (name, length, checksum, file)
    }

    /// Reads at an offset and returns the number of bytes: zero at the end, `nil` if the file cannot be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
        try? file.read(into: buffer, at: Int64(offset))
    }
}

/// Reads a stored body, or a part of it, piece by piece, and detects at the end whether a file was damaged.
final class CacheBodyReader {
    enum Piece {
        case bytes(UnsafeRawBufferPointer)
        /// This many bytes were read that lie outside the part.
        case skipped(Int)
        case end
        case damaged
    }

    private static let pieceSize = 65_536

    private let body: CacheBody
    private let part: Range<Int>
    private var offset = 0
    private var checksum = CacheChecksum()

    /// Makes a reader for a body, or for the given part of it.
    init(_ body: CacheBody, part: Range<Int>? = nil) {
        self.body = body
        self.part = (part ?? 0..<body.length).clamped(to: 0..<body.length)
    }

    /// Calls `use` with the next piece, whose bytes are in `scratch` or in the body itself.
    func next<Result>(scratch: UnsafeMutableRawBufferPointer, _ use: (Piece) -> Result) -> Result {
        switch body {
        case .data(let data):
            offset = max(offset, part.lowerBound)
            guard offset < part.upperBound else { return use(.end) }
            return data.withUnsafeBytes { bytes in
                let end = min(offset + Self.pieceSize, part.upperBound)
                defer { offset = end }
                return use(.bytes(UnsafeRawBufferPointer(rebasing: bytes[offset..<end])))
            }
        case .file(let file):
            guard let count = file.read(into: scratch, at: offset) else { return use(.damaged) }
            if count == 0 { return use(offset == file.length && checksum.value == file.checksum ? .end : .damaged) }
            let bytes = UnsafeRawBufferPointer(rebasing: scratch[..<count])
            // The whole file is read even for a part, because the checksum covers all its bytes.
            checksum.update(bytes)
            let wanted = part.clamped(to: offset..<(offset + count))
            let start = offset
            offset += count
            guard offset <= file.length else { return use(.damaged) }
            guard !wanted.isEmpty else { return use(.skipped(count)) }
            let slice = bytes[(wanted.lowerBound - start)..<(wanted.upperBound - start)]
            return use(.bytes(UnsafeRawBufferPointer(rebasing: slice)))
        }
    }
}
