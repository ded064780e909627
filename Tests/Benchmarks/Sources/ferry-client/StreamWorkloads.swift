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
            return try await upload { RequestBody(RepeatedPieces(order.bytes / piece.count, of: piece), length: length) }
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

    func makeAsyncIterator() -> Iterator { Iterator(file: file) }

    struct Iterator: AsyncIteratorProtocol {
        let file: URL
        private var handle: FileHandle?

        init(file: URL) { self.file = file }

        mutating func next() async throws -> Data? {
            let handle = try handle ?? FileHandle(forReadingFrom: file)
            self.handle = handle
            let piece = try handle.read(upToCount: 65_536)
            return piece?.isEmpty == false ? piece : nil
        }
    }
}
