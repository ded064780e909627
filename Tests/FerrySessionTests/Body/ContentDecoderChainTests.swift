import Foundation
import Testing

@testable import FerrySession

@Suite struct ContentDecoderChainTests {
    /// Decodes input in pieces of `step` bytes into outputs of `room` bytes.
    private func decode(
        _ input: Data,
        _ codings: [ContentCoding],
        step: Int = .max,
        room: Int = 512
    ) throws -> (data: Data, mayEnd: Bool) {
        let chain = try #require(ContentDecoderChain(codings))
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
        defer { output.deallocate() }
        var result = Data()
        var rest = input[...]
        repeat {
            rest.prefix(step).withUnsafeBytes { chain.append($0) }
            rest = rest.dropFirst(step)
            reading: while true {
                switch try chain.read(into: output) {
                case .needsInput: break reading
                case .interrupted: continue
                case .output(let count): result.append(contentsOf: output[..<count])
                }
            }
            #expect(chain.isDrained)
        } while !rest.isEmpty
        return (result, chain.mayEnd)
    }

    private static let samples: [(Data, [ContentCoding])] = [
        (Samples.gzip, [.gzip]), (Samples.deflate, [.deflate]), (Samples.rawDeflate, [.deflate]),
        (Samples.brotli, [.brotli]), (Samples.zstd, [.zstd]), (Samples.gzipTwice, [.gzip, .gzip]),
    ]

    @Test(
        "Every coding decodes in pieces of any size into outputs of any size",
        arguments: [1, 7, .max],
        [1, 13, 65_536]
    )
    func pieces(_ step: Int, _ room: Int) throws {
        for (input, codings) in Self.samples where codings.allSatisfy(ContentCoding.available.contains) {
            let (data, mayEnd) = try decode(input, codings, step: step, room: room)
            #expect(data == Samples.text && mayEnd, "\(codings)")
        }
    }

    @Test("A truncated coding returns what it has, and is not a valid end") func truncated() throws {
        for (input, codings) in Self.samples where codings.allSatisfy(ContentCoding.available.contains) {
            for length in [1, input.count / 2, input.count - 1] {
                guard let (data, mayEnd) = try? decode(input.prefix(length), codings, step: 5) else { continue }
                #expect(!mayEnd, "\(codings) cut to \(length)")
                #expect(Samples.text.starts(with: data))
            }
        }
    }

    @Test("Empty input is a valid end") func empty() throws {
        for (_, codings) in Self.samples where codings.allSatisfy(ContentCoding.available.contains) {
            let (data, mayEnd) = try decode(Data(), codings)
            #expect(data.isEmpty && mayEnd)
        }
    }

    /// RFC 1952, section 2.2: a gzip file is a series of members.
    @Test("Consecutive members are decoded, and anything else is padding") func members() throws {
        for step in [1, .max] {
            #expect(try decode(Samples.gzip + Samples.gzip, [.gzip], step: step).data == Samples.text + Samples.text)
            let padded = try decode(Samples.gzip + Data(count: 20), [.gzip], step: step)
            #expect(padded.data == Samples.text && padded.mayEnd)
            let half = try decode(Samples.gzip + Samples.gzip.prefix(30), [.gzip], step: step)
            #expect(!half.mayEnd)
        }
        // Bytes after padding are padding too, even if they look like a member, wherever the network split the body.
        for step in [1, Samples.gzip.count + 5, .max] {
            let noise = try decode(Samples.gzip + Data(count: 5) + [0x1F, 0x8B, 0, 0], [.gzip], step: step)
            #expect(noise.data == Samples.text && noise.mayEnd)
        }
        if ContentCoding.available.contains(.zstd) {
            #expect(try decode(Samples.zstd + Samples.zstd, [.zstd]).data == Samples.text + Samples.text)
        }
    }

    @Test("A damaged coding is a failure, not other bytes") func damaged() {
        var broken = Samples.gzip
        broken[broken.count - 6] ^= 0xFF
        #expect(throws: ContentDecoder.Failure.self) { try decode(broken, [.gzip]) }
        #expect(throws: ContentDecoder.Failure.self) { try decode(Data("no gzip at all".utf8), [.gzip]) }
        #expect(throws: ContentDecoder.Failure.self) { try decode(Samples.gzip, [.gzip, .gzip]) }
    }

    /// RFC 8878, section 3.1.
    ///
    /// Fuzzing found the bytes that libzstd accepts as its version 0.7.
    @Test(
        "Only the Zstandard frames of the RFC are decoded",
        .enabled(if: ContentCoding.available.contains(.zstd)),
        arguments: [1, .max]
    )
    func zstdFrames(_ step: Int) throws {
        for version in UInt8(0x1E)...0x27 {
            let legacy = Data([version, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0, 0, 0x7A, 1, 0, 0, 2, 0xFF, 0, 0])
            #expect(throws: ContentDecoder.Failure.self) { try decode(legacy, [.zstd], step: step) }
            // After a complete body the frame is padding, like any other bytes.
            #expect(try decode(Samples.zstd + legacy, [.zstd], step: step).data == Samples.text)
        }
        let skippable = Data([0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3])
        let decoded = try decode(skippable + Samples.zstd + skippable, [.zstd], step: step)
        #expect(decoded.data == Samples.text && decoded.mayEnd)
    }

    /// The decoder is asked once more after a full output, although the frame has ended.
    @Test(
        "A Zstandard frame that fills the output is followed by the next frame",
        .enabled(if: ContentCoding.available.contains(.zstd)),
        arguments: [1, 13, .max]
    )
    func zstdFullOutput(_ step: Int) throws {
        // One block of 65,536 times the same byte, in a frame that declares its size.
        let frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0, 0, 1, 0, 0x03, 0, 0x08, 0x61])
        let expected = Data(repeating: 0x61, count: 131_072)
        for step in [step, frame.count] {
            for room in [4_096, 65_536] {
                let (data, mayEnd) = try decode(frame + frame, [.zstd], step: step, room: room)
                #expect(data == expected && mayEnd, "\(step), \(room)")
            }
        }
        #expect(throws: ContentDecoder.Failure.self) {
            try decode(frame + Data("other".utf8), [.gzip, .zstd], step: frame.count, room: 65_536)
        }
    }

    /// RFC 8878, section 3.1.1.1.4.
    ///
    /// libzstd does not compare the sizes itself if the last block is empty.
    @Test(
        "A Zstandard frame must have as many bytes as it declares",
        .enabled(if: ContentCoding.available.contains(.zstd)),
        arguments: [1, .max]
    )
    func zstdContentSize(_ step: Int) throws {
        func frame(declaring size: UInt8) -> Data { Data([0x28, 0xB5, 0x2F, 0xFD, 0x20, size]) }
        let lastEmpty: [UInt8] = [0x01, 0, 0]
        let lastABC: [UInt8] = [0x19, 0, 0] + Array("abc".utf8)
        #expect(try decode(frame(declaring: 3) + lastABC, [.zstd], step: step).data == Data("abc".utf8))
        #expect(try decode(frame(declaring: 0) + lastEmpty, [.zstd], step: step).mayEnd)
        for short in [frame(declaring: 4) + lastABC, frame(declaring: 4) + lastEmpty, frame(declaring: 2) + lastABC] {
            #expect(throws: ContentDecoder.Failure.self) { try decode(short, [.zstd], step: step) }
            #expect(throws: ContentDecoder.Failure.self) { try decode(Samples.zstd + short, [.zstd], step: step) }
        }
    }

    /// RFC 9659.
    @Test(
        "A Zstandard frame may require a window of at most 8 MiB",
        .enabled(if: ContentCoding.available.contains(.zstd)),
        arguments: [1, .max]
    )
    func zstdWindow(_ step: Int) throws {
        func frame(windowLog: UInt8) -> Data {
            Data([0x28, 0xB5, 0x2F, 0xFD, 0, (windowLog - 10) << 3, 0x19, 0, 0]) + Data("abc".utf8)
        }
        #expect(try decode(frame(windowLog: 23), [.zstd], step: step).data == Data("abc".utf8))
        for windowLog in [24, 27, 31, 41] as [UInt8] {
            let large = frame(windowLog: windowLog)
            #expect(throws: ContentDecoder.Failure.self) { try decode(large, [.zstd], step: step) }
        }
    }

    @Test("A bomb is returned in pieces, and a paused reader uses no more memory") func bomb() throws {
        let chain = try #require(ContentDecoderChain([.gzip, .gzip, .gzip]))
        Samples.greatBomb.withUnsafeBytes { chain.append($0) }
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { output.deallocate() }
        for _ in 0..<100 {
            guard case .output(let count) = try chain.read(into: output) else { continue }
            #expect(count > 0 && count <= output.count)
        }
        #expect(!chain.isDrained && !chain.mayEnd)
    }

    /// An interruption allows the caller to check the time.
    @Test("Input that decodes to nothing is interrupted every few steps", arguments: Flood.codings)
    func interruptions(_ flood: Flood) throws {
        let codings = try #require(ContentCoding.parse(flood.coding))
        guard codings.allSatisfy(ContentCoding.available.contains) else { return }
        let chain = try #require(ContentDecoderChain(codings))
        flood.bytes(of: 200_000).withUnsafeBytes { chain.append($0) }
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { output.deallocate() }
        var calls = 0
        while case .interrupted = try chain.read(into: output) { calls += 1 }
        // In a call, at most 64 steps, or 4 KiB of input.
        #expect(calls >= 40)
        #expect(chain.backlog == 0)
    }

    @Test("Input that comes while earlier input waits is decoded in its order") func backlog() throws {
        let chain = try #require(ContentDecoderChain([.gzip]))
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { output.deallocate() }
        var (expected, decoded) = (0, 0)
        for _ in 0..<2_000 {
            // The input never ends while more comes.
            for _ in 0..<2 { Samples.gzip.withUnsafeBytes { chain.append($0) } }
            expected += 2 * Samples.text.count
            let (count, stop) = chain.fill(output, until: MonotonicTime(nanoseconds: 0))
            decoded += count
            guard case .interrupted = stop else { continue }
        }
        #expect(chain.backlog > 0 && chain.backlog < 4_000 * Samples.gzip.count)
        while true {
            let (count, stop) = chain.fill(output, until: MonotonicTime(nanoseconds: .max))
            decoded += count
            if case .needsInput = stop { break }
        }
        #expect(decoded == expected && chain.isDrained && chain.mayEnd)
    }

    @Test("Random and mutated bytes never trap, and always finish") func fuzz() throws {
        var random = SeededGenerator(8)
        for round in 0..<400 {
            let (sample, codings) = Self.samples[round % Self.samples.count]
            guard codings.allSatisfy(ContentCoding.available.contains) else { continue }
            var input = sample
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                input[Int.random(in: 0..<input.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? decode(input.prefix(Int.random(in: 0...input.count, using: &random)), codings, step: 11, room: 97)
            let noise = Data(random.bytes(upTo: 60, from: "\u{1F}\u{8}(x"))
            _ = try? decode(noise, codings, step: 3, room: 31)
        }
    }

    // MARK: - Names

    @Test("Names of codings are parsed in any case and with blanks, in order") func names() {
        #expect(ContentCoding.parse("gzip") == [.gzip])
        #expect(ContentCoding.parse("X-GZip") == [.gzip])
        #expect(ContentCoding.parse(" deflate , gzip ") == [.deflate, .gzip])
        #expect(ContentCoding.parse("identity") == [])
        #expect(ContentCoding.parse("identity, gzip,,") == [.gzip])
        #expect(ContentCoding.parse("") == [])
        #expect(ContentCoding.parse("compress") == nil)
        #expect(ContentCoding.parse("gzip, compress") == nil)
        #expect(ContentCoding.parse("gzip gzip") == nil)
        #expect(ContentCoding.parse(Array(repeating: "gzip", count: 9).joined(separator: ","))?.count == 9)
    }
}
