/// The stream to which an operation writes the body, instead of collecting it in memory.
///
/// Unchecked: a stream is not `Sendable`, but this one is opened, written to and closed on one serial queue only.
final class OperationOutput: @unchecked Sendable {
    /// The user's stream.
    let stream: OutputStream
    /// The number of bytes that this object has written.
    private var written: Int64 = 0

    init(_ stream: OutputStream) { self.stream = stream }

    /// The number of bytes in the stream, if it can be truncated.
    var byteCount: Int64 { (stream as? any ResumableOutputStream)?.byteCount ?? 0 }

    /// Opens the stream unless it is open, and truncates it to the `start` bytes that it had before the body and the
    /// `byteCount` bytes of the body that have arrived, in this operation or an archived one.
    ///
    /// Returns the number of bytes of the body that it contains; zero if some are missing. It also throws if the
    /// contents of the stream are unknown.
    func open(holding byteCount: Int64, after start: Int64) throws -> Int64 {
        let opensStream = stream.streamStatus == .notOpen
        if opensStream {
            stream.open()
            if let error = failure { throw error }
        }
        guard byteCount > 0 else { return 0 }
        if let stream = stream as? any ResumableOutputStream {
            let isWhole = stream.byteCount >= start + byteCount
            let end = isWhole ? start + byteCount : min(start, stream.byteCount)
            // If the owner has opened the stream, further contents belong to the owner.
            if opensStream { try stream.truncate(toByteCount: end) }
            return isWhole ? byteCount : 0
        }
        if written >= byteCount { return byteCount }
        guard isEmpty else {
            throw NetworkError(
                .fileError,
                message: "The contents of the output stream are unknown, so that it cannot continue the body: use a "
                    + "ResumableOutputStream"
            )
        }
        return 0
    }

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
                written += Int64(count)
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

    /// Whether the open stream is known to contain nothing; a file to which it appends may contain anything.
    private var isEmpty: Bool {
        if let memory { return memory.isEmpty }
        return (stream.property(forKey: .fileCurrentOffsetKey) as? NSNumber)?.int64Value == 0
    }

    private var failure: NetworkError? {
        // FoundationNetworking's streams trap if their error is read when there is none.
        guard stream.streamStatus == .error else { return nil }
        let cause = stream.streamError
        let what = cause.map { ($0 as NSError).localizedDescription } ?? "it gave no reason"
        return NetworkError(.fileError, message: "The output stream failed: \(what)", underlyingError: cause)
    }
}
