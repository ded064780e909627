/// Gives a request's body to libcurl piece by piece; lives on the engine's thread.
protocol BodyReader: AnyObject {
    /// The number of bytes in all, `nil` where it is not known.
    var length: ByteCount? { get }

    /// Copies the next bytes into `buffer`; never blocks on anything but a disk.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece

    /// Goes back to the first byte, or answers `false` where that cannot be done.
    func rewind() -> Bool

    /// Is told that nobody reads any more.
    func close()
}

/// What a read came to.
enum BodyPiece {
    case bytes(Int)
    case end
    /// Nothing is there now; the reader says when there is.
    case wait
    case failed(URLError)
}

/// A body in memory.
final class DataReader: BodyReader {
    private let data: Data
    private var offset = 0

    init(_ data: Data) {
        self.data = data
    }

    var length: ByteCount? { ByteCount(clamping: data.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
        let count = min(buffer.count, data.count - offset)
        guard count > 0 else { return .end }
        data.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
        offset += count
        return .bytes(count)
    }

    func rewind() -> Bool {
        offset = 0
        return true
    }

    func close() {}
}
