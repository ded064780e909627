internal import CFerry

/// Decodes one content coding piece by piece, and knows whether it came to its end.
///
/// It is Ferry's and not libcurl's, since libcurl 7.88 takes a coding that ends early for complete, and cannot stop
/// in the middle of a piece that unpacks to a thousand times its size.
final class ContentDecoder {
    enum Failure: Error {
        /// The bytes are not of the coding.
        case damaged
        /// They unpack to more than is accepted.
        case tooLarge
    }

    private let coding: ContentCoding
    private let pointer: OpaquePointer
    private(set) var isComplete = false
    private var hasInput = false
    /// What followed the end was no member, so that nothing after it is read either.
    private var ignoresRest = false

    init?(_ coding: ContentCoding) {
        guard let pointer = ferry_decoder_create(coding.number) else { return nil }
        self.coding = coding
        self.pointer = pointer
    }

    deinit {
        ferry_decoder_free(pointer)
    }

    /// Whether the input may end here: a body of no bytes at all is no damaged one.
    var mayEnd: Bool { isComplete || !hasInput }

    /// Decodes as much of `input` as fits into `output`, and answers how much was taken and made.
    func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (consumed: Int, produced: Int) {
        // What follows the end of a member is another member, or padding to be ignored, as in every browser.
        // Once it is padding, the rest is too, so that the result does not depend on how the network cut the body.
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
