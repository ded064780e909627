internal import CFerry

/// A zlib stream without a header, whose memory is freed in `deinit`.
///
/// `@unchecked Sendable`: its owner, a value that one lock guards, is the only one to use it.
final class RawDeflate: @unchecked Sendable {
    /// The sizes of zlib's windows, as powers of two: a raw stream cannot have the smallest window of the protocol, 8.
    static let windows = 9...15
    /// The most bytes that are put in at once: zlib's numbers have 32 bits.
    private static let largestPiece = 1 << 30

    /// Whether the process has zlib.
    static var isAvailable: Bool {
        ferry_coder_available(FERRY_RAW_DEFLATE, true) && ferry_coder_available(FERRY_RAW_DEFLATE, false)
    }

    enum Failure: Error {
        case damaged
        case tooLarge
    }

    private let stream: OpaquePointer

    /// Creates a stream, or returns `nil` if there is no memory.
    init?(deflates: Bool, window: Int) {
        guard Self.windows.contains(window),
            let stream = ferry_coder_create(FERRY_RAW_DEFLATE, deflates, Int32(window))
        else { return nil }
        self.stream = stream
    }

    deinit { ferry_coder_free(stream) }

    /// Returns a deflated message without its last four bytes, which are always the same (RFC 7692, section 7.2.1).
    func deflate(_ data: Data) -> Data? {
        var output = Data()
        do throws(Failure) {
            try data.withBytes { (bytes) throws(Failure) in
                try run(bytes, limit: .max) { output.append(contentsOf: $0) }
            }
        } catch {
            return nil
        }
        guard output.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF]) else { return nil }
        // An empty message is one block, whose first byte remains.
        return output.dropLast(4).isEmpty ? Data([0]) : Data(output.dropLast(4))
    }

    /// Inflates a piece of a message to at most `limit` bytes; throws the reason why the message is refused, or the
    /// error of `receive`.
    func inflate(
        _ bytes: UnsafeRawBufferPointer,
        limit: Int,
        _ receive: (UnsafeRawBufferPointer) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        var violation: ProtocolViolation?
        do throws(Failure) {
            try run(bytes, limit: limit) { piece in
                guard violation == nil else { return }
                do throws(ProtocolViolation) { try receive(piece) } catch { violation = error }
            }
        } catch {
            throw error == .tooLarge
                ? ProtocolViolation("A message is too large", code: .messageTooBig)
                : ProtocolViolation("A compressed message is damaged", code: .invalidFramePayloadData)
        }
        if let violation { throw violation }
    }

    private func run(
        _ bytes: UnsafeRawBufferPointer,
        limit: Int,
        _ receive: (UnsafeRawBufferPointer) -> Void
    ) throws(Failure) {
        var total = 0
        var rest = bytes
        var isDone = false
        // Most messages are small, and a large buffer would have to be cleared for each of them.
        let size = min(65_536, max(1024, bytes.count))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while !isDone {
            var (consumed, produced) = (0, 0)
            let status = ferry_coder_run(
                stream,
                FERRY_CODER_FLUSH,
                rest.bindMemory(to: UInt8.self).baseAddress,
                min(rest.count, Self.largestPiece),
                &consumed,
                buffer.bindMemory(to: UInt8.self).baseAddress,
                size,
                &produced
            )
            guard status != FERRY_CODER_ERROR else { throw .damaged }
            rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
            total += produced
            guard total <= limit else { throw .tooLarge }
            receive(UnsafeRawBufferPointer(rebasing: buffer[..<produced]))
            // A last block may end in the middle of a message. If output fills the buffer, more may follow.
            isDone = status == FERRY_CODER_END ? rest.isEmpty : produced < size && (rest.isEmpty || consumed == 0)
        }
        guard rest.isEmpty else { throw .damaged }
    }
}
