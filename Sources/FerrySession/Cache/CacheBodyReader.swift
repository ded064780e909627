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
            guard count > 0 else {
                return use(offset == file.length && checksum.value == file.checksum ? .end : .damaged)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: scratch[..<count])
            // The whole file is read even for a part, because the checksum covers all its bytes.
            checksum.update(bytes)
            let wanted = part.clamped(to: offset..<(offset + count))
            let start = offset
            offset += count
            guard offset <= file.length else { return use(.damaged) }
            guard !wanted.isEmpty else { return use(.skipped(count)) }
            return use(
                .bytes(
                    UnsafeRawBufferPointer(rebasing: bytes[(wanted.lowerBound - start)..<(wanted.upperBound - start)])
                )
            )
        }
    }
}
