/// Undoes the content codings of one response, outermost first.
///
/// Whoever wants the bytes pulls them, so that no more is held than the input and one small buffer for each coding,
/// however far the input unpacks.
final class ContentDecoderChain {
    private struct Stage {
        let decoder: ContentDecoder
        var input: [UInt8] = []
        var offset = 0
        /// The last output was full, so that the decoder may hold more without more input.
        var mayHoldMore = false
    }

    private static let innerBufferSize = 16_384

    private var stages: [Stage]

    /// A chain for the codings in the order they were applied; `nil` for none, or without the memory for it.
    init?(_ codings: [ContentCoding]) {
        stages = codings.reversed().compactMap { ContentDecoder($0).map { Stage(decoder: $0) } }
        if stages.isEmpty || stages.count != codings.count { return nil }
    }

    /// Whether all that was appended has been read.
    var isDrained: Bool { stages.allSatisfy { $0.input.isEmpty && !$0.mayHoldMore } }

    /// Whether the input may end here.
    var mayEnd: Bool { stages.allSatisfy(\.decoder.mayEnd) }

    func append(_ bytes: UnsafeRawBufferPointer) {
        stages[0].input.append(contentsOf: bytes)
    }

    /// Decodes into `output`, and answers how many bytes; none means that more input is needed.
    func read(into output: UnsafeMutableRawBufferPointer) throws(ContentDecoder.Failure) -> Int {
        try read(into: output, from: stages.count - 1)
    }

    private func read(
        into output: UnsafeMutableRawBufferPointer,
        from level: Int
    ) throws(ContentDecoder.Failure) -> Int {
        while true {
            let produced = try decode(into: output, at: level)
            if produced > 0 { return produced }
            guard level > 0, try refill(level) else { return 0 }
        }
    }

    /// Lets one decoder work on what it has.
    private func decode(
        into output: UnsafeMutableRawBufferPointer,
        at level: Int
    ) throws(ContentDecoder.Failure) -> Int {
        while !stages[level].input.isEmpty || stages[level].mayHoldMore {
            let stage = stages[level]
            let result = stage.input.withUnsafeBytes { input in
                Result { () throws(ContentDecoder.Failure) in
                    try stage.decoder.decode(UnsafeRawBufferPointer(rebasing: input[stage.offset...]), into: output)
                }
            }
            let (consumed, produced) = try result.get()
            if consumed == 0, produced == 0, !stage.input.isEmpty { throw ContentDecoder.Failure() }
            advance(level, by: consumed)
            stages[level].mayHoldMore = produced == output.count
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

    /// Gives a decoder what the one before it makes next.
    private func refill(_ level: Int) throws(ContentDecoder.Failure) -> Bool {
        let size = Self.innerBufferSize
        let result = withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
            Result { () throws(ContentDecoder.Failure) in
                let count = try read(into: buffer, from: level - 1)
                stages[level].input.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return count > 0
            }
        }
        return try result.get()
    }
}
