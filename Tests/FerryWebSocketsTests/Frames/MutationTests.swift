import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("Mutated frames", .pure)
struct MutationTests {
    private static let samples: [Data] = {
        var deflater = MessageDeflater(CompressionParameters())
        let compressed = deflater.deflate(Data(String(repeating: "compressed ", count: 20).utf8)) ?? Data()
        let frames: [[ServerFrame]] = [
            [ServerFrame(.text, "hello"), ServerFrame(.binary, Data(count: 200)), .close(1000, Data("bye".utf8))],
            [ServerFrame(.text, "κόσμε", isFinal: false), ServerFrame(.ping, "p"), ServerFrame(.continuation, "🌍")],
            [
                ServerFrame(.text, compressed, reserved: 4), ServerFrame(.pong),
                ServerFrame(.text, compressed, reserved: 4),
            ],
            [ServerFrame(.binary, Data(count: 70_000)), ServerFrame(.ping, Data(count: 125))],
        ]
        return frames.map { $0.map(\.bytes).reduce(Data(), +) }
    }()

    /// The number is a million with `FERRY_FUZZ=100000`.
    private static let count = Mutations.count * 10

    @Test("Each gives messages within the limit, or one violation with a code for the close frame")
    func mutations() {
        let count = Self.count
        var random = SeededGenerator(UInt64(count))
        var violations = 0
        for _ in 0..<count {
            var bytes = Self.samples.randomElement(using: &random) ?? Data()
            if bytes.count > 1000, Int.random(in: 0...30, using: &random) > 0 { bytes = Self.samples[1] }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[index] ^= 0x80
                case 2: bytes = bytes.prefix(index + 1)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
                }
            }
            let pieces = Int.random(in: 1...100, using: &random)
            let compression = Bool.random(using: &random) ? CompressionParameters() : nil
            let (events, violation) = MessageReader.events(
                bytes,
                pieces: pieces,
                maximumSize: 100_000,
                compression: compression
            )
            if let violation {
                violations += 1
                #expect(violation.code.isSendable)
            }
            for case .message(let message) in events { #expect(message.size <= 100_000) }
        }
        #expect(violations > count / 10)
    }
}
