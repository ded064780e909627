/// Provides a request's body to libcurl piece by piece; used only on the engine's thread.
protocol BodyReader: AnyObject {
    /// The total number of bytes, or `nil` if it is not known.
    var length: ByteCount? { get }

    /// Copies the next bytes into `buffer`; blocks on nothing but a disk.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece

    /// Returns to the first byte; `false` if that is not possible.
    func rewind() -> Bool

    /// Called when the body will not be read any more.
    func close()
}

/// The result of a read.
enum BodyPiece {
    case bytes(Int)
    case end
    /// No bytes are available now; the reader reports when there are.
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
