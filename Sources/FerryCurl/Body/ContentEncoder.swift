internal import CFerry

/// Applies a content coding to a request's body piece by piece (RFC 9110, section 8.4).
final class ContentEncoder {
    private let pointer: OpaquePointer
    /// Whether the coding keeps bytes that were put in after the last flush.
    private(set) var holdsBack = false

    /// Makes an encoder with the library's usual level; `nil` if the process has none for the coding.
    init?(_ coding: ContentCoding) {
        guard let pointer = ferry_coder_create(coding.number, true, ContentCoding.window) else { return nil }
        self.pointer = pointer
    }

    deinit { ferry_coder_free(pointer) }

    /// Returns the coded bytes that are ready after a piece, if any; `nil` if the library fails.
    func encode(_ data: Data) -> Data? {
        // The library's numbers have 32 bits.
        let largest = 1 << 30
        var output = Data()
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + largest, data.endIndex)
            guard let more = run(FERRY_CODER_CONTINUE, data[start..<end]) else { return nil }
            output.append(more)
            start = end
        }
        if !data.isEmpty { holdsBack = true }
        return output
    }

    /// Returns the bytes that are missing to decode everything that was put in.
    func flush() -> Data? {
        holdsBack = false
        return run(FERRY_CODER_FLUSH, Data())
    }

    /// Returns the bytes that complete the coding.
    func finish() -> Data? {
        holdsBack = false
        return run(FERRY_CODER_FINISH, Data())
    }

    private func run(_ step: ferry_coder_step, _ input: Data) -> Data? {
        let size = 65_536
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer -> Data? in
            input.withUnsafeBytes { bytes -> Data? in
                let bytes = bytes.bindMemory(to: UInt8.self)
                let room = buffer.bindMemory(to: UInt8.self)
                var output = Data()
                var offset = 0
                while true {
                    var (consumed, produced) = (0, 0)
                    let rest = UnsafeBufferPointer(rebasing: bytes[offset...])
                    let status = ferry_coder_run(
                        pointer,
                        step,
                        rest.baseAddress,
                        rest.count,
                        &consumed,
                        room.baseAddress,
                        size,
                        &produced
                    )
                    output.append(contentsOf: room[..<produced])
                    offset += consumed
                    if status == FERRY_CODER_END { return output }
                    guard status == FERRY_CODER_MORE, consumed > 0 || produced > 0 else { return nil }
                }
            }
        }
    }
}
