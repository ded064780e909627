/// Removes the content codings of one response, outermost first.
///
/// Output is pulled, so only the input and one small buffer for each coding are in memory, however far the input
/// unpacks. The work of one call is bounded, even if input is consumed without producing output, so that the caller can
/// look at the clock.
package final class ContentDecoderChain {
    /// The result of one call.
    package enum Step: Hashable {
        /// This many bytes were written.
        case output(Int)
        /// All input is consumed.
        case needsInput
        /// The limit for one call was reached, and there may be more to do.
        case interrupted
    }

    private typealias Failure = ContentDecoder.Failure

    private struct Stage {
        package let decoder: ContentDecoder
        package var input: [UInt8] = []
        package var offset = 0
        /// Whether the last output was full, so that the decoder may have more without further input.
        var mayHoldMore = false
        var produced = ByteCount.zero

        package mutating func append(_ bytes: UnsafeRawBufferPointer) {
            // Decoded input is removed once it is half of the buffer, so that this takes linear time.
            if offset > 0, offset >= input.count / 2 {
                input.removeSubrange(..<offset)
                offset = 0
            }
            input.append(contentsOf: bytes)
        }
    }

    /// The reason why ``fill(_:until:)`` has stopped.
    package enum Stop {
        /// There may be more.
        case full
        case needsInput
        /// The time is over.
        case interrupted
        case failed(ContentDecoder.Failure)
    }

    /// The work of one call before it returns, which takes about a tenth of a millisecond.
    ///
    /// A byte of output counts as 1. A byte of input counts as 16, because it may be a part of a table that takes much
    /// longer to build than to read, and a step counts as 1,024, even if it moves no byte.
    private static let workOfOneCall = 65_536
    private static let (costOfInput, costOfStep) = (16, 1_024)
    private static let maximumInput = workOfOneCall / costOfInput

    private var stages: [Stage]
    private let limits: ContentDecodingLimits
    private var received = ByteCount.zero
    private var work = 0

    /// Makes a chain for codings in the order in which they were applied; `nil` for none, or if memory is short.
    package init?(_ codings: [ContentCoding], limits: ContentDecodingLimits = ContentDecodingLimits()) {
        self.limits = limits
        stages = codings.reversed().compactMap { ContentDecoder($0).map { Stage(decoder: $0) } }
        if stages.isEmpty || stages.count != codings.count { return nil }
    }

    /// Whether everything that was appended has been read.
    package var isDrained: Bool { stages.allSatisfy { $0.input.isEmpty && !$0.mayHoldMore } }
    /// Whether the input may end here.
    package var mayEnd: Bool { stages.allSatisfy(\.decoder.mayEnd) }

    package func append(_ bytes: UnsafeRawBufferPointer) {
        received.add(ByteCount(clamping: bytes.count))
        stages[0].append(bytes)
    }

    /// The number of bytes that were appended and are not decoded yet.
    package var backlog: Int { stages[0].input.count - stages[0].offset }

    /// Decodes until `output` is at least half full, input is needed or the time is over, and returns how many bytes
    /// were written; there is at least one step.
    package func fill(_ output: UnsafeMutableRawBufferPointer, until end: MonotonicTime) -> (count: Int, stop: Stop) {
        var count = 0
        while true {
            do throws(Failure) {
                switch try read(into: UnsafeMutableRawBufferPointer(rebasing: output[count...])) {
                case .output(let more): count += more
                case .needsInput: return (count, .needsInput)
                case .interrupted: break
                }
            } catch { return (count, .failed(error)) }
            if MonotonicTime.now() >= end { return (count, .interrupted) }
            if count >= output.count / 2 { return (count, .full) }
        }
    }

    /// Decodes the next bytes into `output`.
    package func read(into output: UnsafeMutableRawBufferPointer) throws(ContentDecoder.Failure) -> Step {
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
            let (decoder, offset) = (stages[level].decoder, stages[level].offset)
            let result = stages[level].input.withUnsafeBytes { input in
                // The size is bounded, so that the decoder returns even if the input produces no output.
                let end = min(input.count, offset + Self.maximumInput)
                return Result { () throws(Failure) in
                    try decoder.decode(UnsafeRawBufferPointer(rebasing: input[offset..<end]), into: output)
                }
            }
            let (consumed, produced) = try result.get()
            if consumed == 0, produced == 0, !stages[level].input.isEmpty { throw .damaged }
            work += Self.costOfInput * consumed + produced + Self.costOfStep
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
                    stages[level].append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
                return step
            }
        }
        return try result.get()
    }
}
