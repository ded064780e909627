/// Reads an `InputStream` on a separate thread, a bounded number of bytes ahead of libcurl.
///
/// A stream may block indefinitely without delaying any other request. It ends when `read` returns zero;
/// `hasBytesAvailable` is not used, because subclasses implement it differently.
package final class StreamPump: BodyReader, Sendable {
    private static let pieceSize = 65_536

    private struct State {
        package var pieces: [Data] = []
        package var offset = 0
        package var isAtEnd = false
        package var error: URLError?
        package var isClosed = false
        var isReaderWaiting = false
        package var delivered: Int64 = 0
    }

    package let length: ByteCount?
    private let url: URL?
    private let state = Mutex(State())
    /// Starts at zero and is signalled immediately: libdispatch traps if a semaphore is freed with less than its
    /// initial value.
    private let room = DispatchSemaphore(value: 0)
    let wake: @Sendable () -> Void

    /// Starts to read the stream on the pump's thread.
    ///
    /// `wake` is called on that thread when bytes are available again after a read returned `.wait`; `url` is for
    /// errors.
    package init(_ box: StreamBox, length: ByteCount?, url: URL?, wake: @escaping @Sendable () -> Void) {
        (self.length, self.url, self.wake) = (length, url, wake)
        let piecesAhead = 2
        for _ in 0..<piecesAhead { room.signal() }
        SystemThread.run("Ferry body", stackSize: 524_288) { [self] in pump(box.stream) }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPiece {
        let (piece, freed) = state.withLock { state -> (BodyPiece, Bool) in
            if let error = state.error { return (.failed(error), false) }
            guard let data = state.pieces.first else {
                if state.isAtEnd { return (end(state.delivered), false) }
                state.isReaderWaiting = true
                return (.wait, false)
            }
            var count = min(buffer.count, data.count - state.offset)
            if let length {
                guard state.delivered < length.int64 || count == 0 else {
                    return (.failed(mismatch("more than")), false)
                }
                count = Int(min(Int64(count), length.int64 - state.delivered))
            }
            data.withUnsafeBytes { bytes in
                let slice = bytes[state.offset..<state.offset + count]
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: slice))
            }
            state.offset += count
            state.delivered += Int64(count)
            guard state.offset == data.count else { return (.bytes(count), false) }
            state.pieces.removeFirst()
            state.offset = 0
            return (.bytes(count), true)
        }
        if freed { room.signal() }
        return piece
    }

    package func rewind() -> Bool { state.withLock { $0.delivered == 0 } }

    package func close() {
        state.withLock { $0.isClosed = true }
        room.signal()
    }

    private func end(_ delivered: Int64) -> BodyPiece {
        guard let length, delivered < length.int64 else { return .end }
        return .failed(mismatch("\(delivered) bytes instead of"))
    }

    private func mismatch(_ found: String) -> URLError {
        let error = CurlSessionError(
            .bodyLengthMismatch,
            "The body's stream provided \(found) the \(length ?? .zero) bytes that Content-Length announced"
        )
        return .ferry(.requestBodyStreamExhausted, url: url, underlying: error)
    }

    /// Reads the stream, on the pump's thread.
    private func pump(_ stream: InputStream) {
        stream.open()
        defer { stream.close() }
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.pieceSize)
        defer { buffer.deallocate() }
        while true {
            room.wait()
            if state.withLock({ $0.isClosed }) { return }
            let count = stream.read(buffer, maxLength: Self.pieceSize)
            let mustWake = state.withLock { state -> Bool in
                if count > 0 {
                    state.pieces.append(Data(bytes: buffer, count: min(count, Self.pieceSize)))
                } else if count == 0 {
                    state.isAtEnd = true
                } else {
                    state.error = readError(of: stream)
                }
                defer { state.isReaderWaiting = false }
                return state.isReaderWaiting
            }
            if mustWake { wake() }
            if count <= 0 { return }
        }
    }

    private func readError(of stream: InputStream) -> URLError {
        // Foundation's `streamError` traps if there is none, so it is read only if the status indicates an error.
        let cause = stream.streamStatus == .error ? stream.streamError : nil
        let text = "The body's stream could not be read" + (cause.map { ": \($0.localizedDescription)" } ?? "")
        return .ferry(.requestBodyStreamExhausted, url: url, text, underlying: cause)
    }
}
