internal import CFerry

/// Decodes one content coding piece by piece and detects whether it is complete.
///
/// libcurl's decoders are not used, because libcurl 7.88 accepts a coding that ends early as complete and cannot pause
/// within a piece that unpacks to a thousand times its size.
final class ContentDecoder {
    enum Failure: Error {
        /// The bytes are not valid in this coding.
        case damaged
        /// They unpack to more than the limit.
        case tooLarge
    }

    private let coding: ContentCoding
    private let pointer: OpaquePointer
    private(set) var isComplete = false
    private var hasInput = false
    /// Whether the end was followed by bytes that do not start a member, so that all further input is ignored.
    private var ignoresRest = false

    init?(_ coding: ContentCoding) {
        guard let pointer = ferry_decoder_create(coding.number) else { return nil }
        self.coding = coding
        self.pointer = pointer
    }

    deinit {
        ferry_decoder_free(pointer)
    }

    /// Whether the input may end here; an empty body is not considered damaged.
    var mayEnd: Bool { isComplete || !hasInput }

    /// Decodes as much of `input` as fits into `output`.
    ///
    /// - Parameters:
    ///   - input: The coded bytes.
    ///   - output: The memory for the decoded bytes.
    /// - Returns: The number of bytes consumed and the number of bytes produced.
    /// - Throws: ``Failure/damaged``.
    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (consumed: Int, produced: Int) {
        // The end of a member is followed by another member, or by padding that is ignored, as in every browser. After
        // padding the rest is ignored too, so that the result does not depend on how the network split the body.
        if isComplete, !input.isEmpty, !startsMember(input) { ignoresRest = true }
        if ignoresRest { return (input.count, 0) }
        if !input.isEmpty { hasInput = true }
        var consumed = 0
        var produced = 0
        let status = ferry_decoder_run(
            pointer,
            input.baseAddress?.assumingMemoryBound(to: UInt8.self),
            input.count,
            &consumed,
            output.baseAddress?.assumingMemoryBound(to: UInt8.self),
            output.count,
            &produced
        )
        guard status != FERRY_DECODE_ERROR else { throw .damaged }
        if consumed > 0 || produced > 0 { isComplete = status == FERRY_DECODE_END }
        return (consumed, produced)
    }

    private func startsMember(_ input: UnsafeRawBufferPointer) -> Bool {
        switch coding {
        case .gzip: input[0] == 0x1F
        case .zstd: input[0] == 0x28 || input[0] & 0xF0 == 0x50
        case .deflate, .brotli: false
        }
    }
}
