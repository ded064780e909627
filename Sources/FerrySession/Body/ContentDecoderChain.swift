/// Undoes the content codings of one response, outermost first.
///
/// Output is pulled, so that no more is held than the input and one small buffer for each coding, however far the input
/// unpacks. The work of one call is bounded, also where input is consumed and nothing comes of it.
final class ContentDecoderChain {
    /// What one call has done.
    enum Step: Hashable {
        /// So many bytes were written.
        case output(Int)
        /// All input is consumed.
        case needsInput
        /// The work of one call is done, and there may be more to do.
        case interrupted
    }

    private struct Stage {
        let decoder: ContentDecoder
        var input: [UInt8] = []
        var offset = 0
        /// The last output was full, so that the decoder may hold more without more input.
        var mayHoldMore = false
        var produced = ByteCount.zero
    }

    private static let innerBufferSize = 16_384

    /// How many bytes the decoders of one call consume and produce together before it returns.
    static let workOfOneCall = 1_048_576

    private var stages: [Stage]
    private let limits: ContentDecodingLimits
    private var received = ByteCount.zero
    private var work = 0

    /// A chain for the codings in the order they were applied; `nil` for none, or without the memory for it.
    init?(_ codings: [ContentCoding], limits: ContentDecodingLimits = ContentDecodingLimits()) {
        self.limits = limits
        stages = codings.reversed().compactMap { ContentDecoder($0).map { Stage(decoder: $0) } }
        if stages.isEmpty || stages.count != codings.count { return nil }
    }

    /// Whether all that was appended has been read.
    var isDrained: Bool { stages.allSatisfy { $0.input.isEmpty && !$0.mayHoldMore } }

    /// Whether the input may end here.
    var mayEnd: Bool { stages.allSatisfy(\.decoder.mayEnd) }

    func append(_ bytes: UnsafeRawBufferPointer) {
        received.add(ByteCount(clamping: bytes.count))
        stages[0].input.append(contentsOf: bytes)
    }

    /// Decodes into `output`, once.
    func read(into output: UnsafeMutableRawBufferPointer) throws(ContentDecoder.Failure) -> Step {
        work = 0
        return try read(into: output, from: stages.count - 1)
    }

    private func read(
        into output: UnsafeMutableRawBufferPointer,
        from level: Int
    ) throws(ContentDecoder.Failure) -> Step {
        while true {
            let produced = try decode(into: output, at: level)
            if produced > 0 { return .output(produced) }
            guard work < Self.workOfOneCall else { return .interrupted }
            guard level > 0 else { return .needsInput }
            let step = try refill(level)
            guard case .output = step else { return step }
        }
    }

    /// Lets one decoder work on its input, until it produces something or the work of the call is done.
    private func decode(
        into output: UnsafeMutableRawBufferPointer,
        at level: Int
    ) throws(ContentDecoder.Failure) -> Int {
        while !stages[level].input.isEmpty || stages[level].mayHoldMore, work < Self.workOfOneCall {
            let stage = stages[level]
            let result = stage.input.withUnsafeBytes { input in
                // A piece of bounded size, so that the decoder comes back where nothing comes of the input.
                let end = min(input.count, stage.offset + Self.workOfOneCall)
                return Result { () throws(ContentDecoder.Failure) in
                    try stage.decoder.decode(UnsafeRawBufferPointer(rebasing: input[stage.offset..<end]), into: output)
                }
            }
            let (consumed, produced) = try result.get()
            if consumed == 0, produced == 0, !stage.input.isEmpty { throw .damaged }
            // A step costs something even where it moves few bytes.
            let costOfStep = 64
            work += consumed + produced + costOfStep
            advance(level, by: consumed)
            stages[level].mayHoldMore = produced == output.count
            stages[level].produced.add(ByteCount(clamping: produced))
            guard stages[level].produced <= limits.largest(received: received) else { throw .tooLarge }
            if produced > 0 { return produced }
        }
        return 0
    }

    private func advance(_ level: Int, by count: Int) {
        stages[level].offset += count
        guard stages[level].offset == stages[level].input.count else { return }
        stages[level].input.removeAll(keepingCapacity: true)
        stages[level].offset = 0
    }

    /// Gives a decoder what the one before it produces next.
    private func refill(_ level: Int) throws(ContentDecoder.Failure) -> Step {
        let size = Self.innerBufferSize
        let result = withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
            Result { () throws(ContentDecoder.Failure) in
                let step = try read(into: buffer, from: level - 1)
                if case .output(let count) = step {
                    stages[level].input.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
                return step
            }
        }
        return try result.get()
    }
}
