import FerrySession

/// The stream to which an operation writes the body, in place of collecting it in memory.
///
/// Unchecked: a stream is no `Sendable`, and this one is opened, written to and closed on one serial queue only.
final class OperationOutput: @unchecked Sendable {
    /// The user's stream.
    let stream: OutputStream

    /// Wraps a stream.
    init(_ stream: OutputStream) {
        self.stream = stream
    }

    /// Opens the stream, unless it is open, and has it hold no more than what has arrived.
    ///
    /// - Returns: How many bytes of the body it holds; zero if those that should be there are not.
    func open(holding byteCount: Int64) throws -> Int64 {
        guard stream.streamStatus == .notOpen else { return byteCount }
        stream.open()
        if let error = failure { throw error }
        // What it held before it was opened is its owner's, unless it is what an archived operation left there.
        guard byteCount > 0, let stream = stream as? any ResumableOutputStream, stream.byteCount >= byteCount else {
            return 0
        }
        try stream.truncate(toByteCount: byteCount)
        return byteCount
    }

    /// Writes a piece of the body, all of it.
    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            guard var next = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            var left = bytes.count
            while left > 0 {
                let count = stream.write(next, maxLength: left)
                guard count > 0, count <= left else { throw failure ?? Self.shortWrite(left, isFull: count == 0) }
                next += count
                left -= count
            }
        }
    }

    /// Takes back what was written, so that the body can be written from its beginning.
    func takeBack(_ byteCount: Int64) throws {
        guard byteCount > 0 else { return }
        guard let stream = stream as? any ResumableOutputStream, stream.byteCount >= byteCount else {
            throw NetworkError(
                .fileError,
                message: "The body starts over, and the output stream cannot: use a ResumableOutputStream"
            )
        }
        try stream.truncate(toByteCount: stream.byteCount - byteCount)
    }

    /// Closes the stream, and says what went wrong in it.
    func close() throws {
        guard stream.streamStatus != .notOpen, stream.streamStatus != .closed else { return }
        stream.close()
        if let error = failure { throw error }
    }

    /// What the stream has in memory, where it is a memory stream.
    var memory: Data? {
        stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
    }

    private var failure: NetworkError? {
        // FoundationNetworking's streams trap when they are asked for an error that is not there.
        guard stream.streamStatus == .error else { return nil }
        let cause = stream.streamError
        let what = cause.map { ($0 as NSError).localizedDescription } ?? "it did not say why"
        return NetworkError(.fileError, message: "The output stream failed: \(what)", underlyingError: cause)
    }

    private static func shortWrite(_ left: Int, isFull: Bool) -> NetworkError {
        let what = isFull ? "is full" : "failed"
        return NetworkError(.fileError, message: "The output stream \(what): \(left) bytes could not be written")
    }
}
