import BenchmarkSupport
import Foundation
import NIOCore

/// A file in chunks of half a megabyte.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let path: String

    func makeAsyncIterator() -> Iterator {
        Iterator(path: path)
    }

    /// Reads a file in chunks, and opens it for the first one.
    final class Iterator: AsyncIteratorProtocol {
        private let path: String
        private var file: Int32 = -1

        init(path: String) {
            self.path = path
        }

        deinit {
            if file >= 0 { close(file) }
        }

        func next() async throws -> ByteBuffer? {
            if file < 0 { file = open(path, O_RDONLY | O_CLOEXEC) }
            guard file >= 0 else { throw BenchmarkError("\(path) cannot be read") }
            var buffer = ByteBufferAllocator().buffer(capacity: 524_288)
            let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: 524_288) { bytes in
                Swift.max(0, read(file, bytes.baseAddress, 524_288))
            }
            return count > 0 ? buffer : nil
        }
    }
}
