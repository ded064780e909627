/// Removes the content codings of one response, outermost first.
///
/// Output is pulled, so only the input and one small buffer for each coding are in memory, however far the input
/// unpacks. The work of one call is bounded, even if input is consumed without producing output.
final class ContentDecoderChain {
    /// The result of one call.
    enum Step: Hashable {
        /// This many bytes were written.
        case output(Int)
        /// All input is consumed.
        case needsInput
        /// The limit for one call was reached, and there may be more to do.
        case interrupted
    }

    private typealias Failure = ContentDecoder.Failure

    private struct Stage {
        let decoder: ContentDecoder
        var input: [UInt8] = []
        var offset = 0
        /// Whether the last output was full, so that the decoder may have more without further input.
        var mayHoldMore = false
        var produced = ByteCount.zero
    }

    /// The number of bytes that the decoders consume and produce in one call, together, before it returns.
    static let workOfOneCall = 1_048_576

    private var stages: [Stage]
    private let limits: ContentDecodingLimits
    private var received = ByteCount.zero
    private var work = 0

    /// Makes a chain for codings in the order in which they were applied; `nil` for none, or if memory is short.
    init?(_ codings: [ContentCoding], limits: ContentDecodingLimits = ContentDecodingLimits()) {
        self.limits = limits
        stages = codings.reversed().compactMap { ContentDecoder($0).map { Stage(decoder: $0) } }
        if stages.isEmpty || stages.count != codings.count { return nil }
    }

    /// Whether everything that was appended has been read.
    var isDrained: Bool { stages.allSatisfy { $0.input.isEmpty && !$0.mayHoldMore } }
    /// Whether the input may end here.
    var mayEnd: Bool { stages.allSatisfy(\.decoder.mayEnd) }

    func append(_ bytes: UnsafeRawBufferPointer) {
        received.add(ByteCount(clamping: bytes.count))
        stages[0].input.append(contentsOf: bytes)
    }

    /// Decodes the next bytes into `output`.
    func read(into output: UnsafeMutableRawBufferPointer) throws(ContentDecoder.Failure) -> Step {
        work = 0
        return try read(into: output, from: stages.count - 1)
    }

    private func read(into output: UnsafeMutableRawBufferPointer, from level: Int) throws(Failure) -> Step {
        while true {
            let produced = try decode(into: output, at: level)
            if produced > 0 { return .output(produced) }
            guard work < Self.workOfOneCall else { return .interrupted }
            guard level > 0 else { return .needsInput }
            let step = try refill(level)
            guard case .output = step else { return step }
        }
    }

    /// Runs one decoder until it produces output, needs input, or the call's limit is reached.
    private func decode(into output: UnsafeMutableRawBufferPointer, at level: Int) throws(Failure) -> Int {
        while !stages[level].input.isEmpty || stages[level].mayHoldMore, work < Self.workOfOneCall {
            let stage = stages[level]
            let result = stage.input.withUnsafeBytes { input in
                // The size is bounded, so that the decoder returns even if the input produces no output.
                let end = min(input.count, stage.offset + Self.workOfOneCall)
                return Result { () throws(Failure) in
                    try stage.decoder.decode(UnsafeRawBufferPointer(rebasing: input[stage.offset..<end]), into: output)
                }
            }
            let (consumed, produced) = try result.get()
            if consumed == 0, produced == 0, !stage.input.isEmpty { throw .damaged }
            // A step has a cost even if it moves few bytes.
            let costOfStep = 64
            work += consumed + produced + costOfStep
            stages[level].offset += consumed
            if stages[level].offset == stages[level].input.count {
                stages[level].input.removeAll(keepingCapacity: true)
                stages[level].offset = 0
            }
            stages[level].mayHoldMore = produced == output.count
            stages[level].produced.add(ByteCount(clamping: produced))
            guard stages[level].produced <= limits.largest(received: received) else { throw .tooLarge }
            if produced > 0 { return produced }
        }
        return 0
    }

    /// Passes the next output of the preceding decoder to a decoder.
    private func refill(_ level: Int) throws(Failure) -> Step {
        let result = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer in
            Result { () throws(Failure) in
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
