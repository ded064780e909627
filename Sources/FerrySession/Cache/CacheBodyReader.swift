/// Reads a stored body piece by piece, and knows at the end whether it was whole.
final class CacheBodyReader {
    enum Piece {
        case bytes(UnsafeRawBufferPointer)
        case end
        case damaged
    }

    private static let pieceSize = 65_536

    private let body: CacheBody
    private var offset = 0
    private var checksum = CacheChecksum()

    init(_ body: CacheBody) {
        self.body = body
    }

    /// Calls `use` with the next piece, which lies in `scratch` or in the body itself.
    func next<Result>(scratch: UnsafeMutableRawBufferPointer, _ use: (Piece) -> Result) -> Result {
        switch body {
        case .data(let data):
            guard offset < data.count else { return use(.end) }
            return data.withUnsafeBytes { bytes in
                let end = min(offset + Self.pieceSize, bytes.count)
                defer { offset = end }
                return use(.bytes(UnsafeRawBufferPointer(rebasing: bytes[offset..<end])))
            }
        case .file(let file):
            guard let count = file.read(into: scratch, at: offset) else { return use(.damaged) }
            guard count > 0 else {
                return use(offset == file.length && checksum.value == file.checksum ? .end : .damaged)
            }
            let bytes = UnsafeRawBufferPointer(rebasing: scratch[..<count])
            checksum.update(bytes)
            offset += count
            return use(offset <= file.length ? .bytes(bytes) : .damaged)
        }
    }
}
