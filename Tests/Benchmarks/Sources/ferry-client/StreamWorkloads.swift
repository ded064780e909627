import BenchmarkSupport
import Ferry

/// Uploads of a ``RequestBody``.
struct StreamWorkloads {
    private let order: WorkOrder

    init(_ order: WorkOrder) { self.order = order }

    static func supports(_ work: Work) -> Bool { [.uploadSequence, .uploadChunks, .writes].contains(work) }

    func run() async throws -> Sample {
        let order = order
        let writes = PacedWrites(order.bytes / 100, rate: 10_000, of: Data(repeating: UInt8(ascii: "a"), count: 100))
        switch order.work {
        case .uploadSequence, .uploadChunks:
            let length = order.work == .uploadSequence ? Int64(order.bytes) : nil
            if let file = order.file {
                return try await upload { RequestBody(FilePieces(file: file), length: length) }
            }
            let piece = Data(repeating: UInt8(ascii: "a"), count: 65_536)
            let pieces = RepeatedPieces(order.bytes / piece.count, of: piece)
            return try await upload { RequestBody(pieces, length: length) }
        case .writes where order.face == "writer":
            return try await upload {
                let (body, writer) = RequestBody.writer()
                Task {
                    for try await piece in writes { try await writer.write(piece) }
                    writer.finish()
                }
                return body
            }
        case .writes: return try await upload { RequestBody(writes) }
        case .pace:
            return try await Measuring.run(order) {
                for try await _ in writes {}
            }
        default: throw BenchmarkError("Request bodies do not support \(order.work.rawValue)")
        }
    }

    private func upload(_ make: @escaping @Sendable () -> RequestBody) async throws -> Sample {
        let (order, session) = (order, CurlSession(order))
        return try await Measuring.run(order) {
            let (data, response) = try await session.upload(for: order.uploadRequest, body: make())
            if let error = order.checkUpload(data, response, nil) { throw error }
        }
    }
}

/// A file in pieces of 64 KiB.
private struct FilePieces: AsyncSequence, Sendable {
    let file: URL

    func makeAsyncIterator() -> Iterator { Iterator(path: file.path) }

    final class Iterator: AsyncIteratorProtocol {
        private let path: String
        private let size = 65_536
        private var file: Int32 = -1

        init(path: String) { self.path = path }

        deinit {
            if file >= 0 { close(file) }
        }

        func next() async throws -> Data? {
            if file < 0 { file = open(path, O_RDONLY | O_CLOEXEC) }
            guard file >= 0, let bytes = malloc(size) else { throw BenchmarkError("\(path) cannot be read") }
            let count = read(file, bytes, size)
            if count > 0 { return Data(bytesNoCopy: bytes, count: count, deallocator: .free) }
            free(bytes)
            return nil
        }
    }
}
