import Ferry

/// The stream to which an operation writes the body, instead of collecting it in memory.
///
/// Unchecked: a stream is not `Sendable`, but this one is opened, written to and closed on one serial queue only.
final class OperationOutput: @unchecked Sendable {
    /// The user's stream.
    let stream: OutputStream

    /// Wraps a stream.
    init(_ stream: OutputStream) { self.stream = stream }

    /// Opens the stream unless it is open, and truncates it to what has arrived.
    ///
    /// - Returns: The number of bytes of the body it contains; zero if some of those that had arrived are missing.
    func open(holding byteCount: Int64) throws -> Int64 {
        guard stream.streamStatus == .notOpen else {
            // The owner of an operation may have opened it, for an archived part that it does not contain.
            if let stream = stream as? any ResumableOutputStream, stream.byteCount < byteCount { return 0 }
            return byteCount
        }
        stream.open()
        if let error = failure { throw error }
        // What it contained before it was opened belongs to its owner, unless an archived operation left it there.
        guard byteCount > 0, let stream = stream as? any ResumableOutputStream, stream.byteCount >= byteCount else {
            return 0
        }
        try stream.truncate(toByteCount: byteCount)
        return byteCount
    }

    /// Writes all of a chunk of the body.
    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            guard var next = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            var left = bytes.count
            while left > 0 {
                let count = stream.write(next, maxLength: left)
                guard count > 0, count <= left else {
                    let what = "\(count == 0 ? "is full" : "failed"): \(left) bytes could not be written"
                    throw failure ?? NetworkError(.fileError, message: "The output stream \(what)")
                }
                next += count
                left -= count
            }
        }
    }

    /// Removes what was written, so that the body can be written from its beginning.
    func takeBack(_ byteCount: Int64) throws {
        guard byteCount > 0 else { return }
        guard let stream = stream as? any ResumableOutputStream, stream.byteCount >= byteCount else {
            throw NetworkError(
                .fileError,
                message: "The body starts again, but its output stream cannot: use a ResumableOutputStream"
            )
        }
        try stream.truncate(toByteCount: stream.byteCount - byteCount)
    }

    /// Closes the stream, and throws its error if it has failed.
    func close() throws {
        guard stream.streamStatus != .notOpen, stream.streamStatus != .closed else { return }
        stream.close()
        if let error = failure { throw error }
    }

    /// The contents of a stream to memory; nil for any other.
    var memory: Data? { stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data }

    private var failure: NetworkError? {
        // FoundationNetworking's streams trap if their error is read when there is none.
        guard stream.streamStatus == .error else { return nil }
        let cause = stream.streamError
        let what = cause.map { ($0 as NSError).localizedDescription } ?? "it gave no reason"
        return NetworkError(.fileError, message: "The output stream failed: \(what)", underlyingError: cause)
    }
}
