import Foundation
import Testing

@testable import FerrySession

@Suite struct ByteBufferTests {
    private func append(_ data: Data, to buffer: inout ByteBuffer) -> Bool {
        data.withUnsafeBytes { buffer.append($0) }
    }

    @Test("What is appended comes out, whatever the sizes") func pieces() {
        var random = SeededGenerator(6)
        for _ in 0..<200 {
            var buffer = ByteBuffer()
            var expected = Data()
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let piece = Data((0..<Int.random(in: 0...9000, using: &random)).map { UInt8(truncatingIfNeeded: $0) })
                let isAppended = append(piece, to: &buffer)
                #expect(isAppended)
                expected += piece
            }
            let (count, isEmpty) = (buffer.count, buffer.isEmpty)
            #expect(count == expected.count)
            #expect(isEmpty == expected.isEmpty)
            let taken = buffer.takeData()
            #expect(taken == expected)
            let again = buffer.takeData()
            #expect(again.isEmpty)
        }
    }

    @Test("A buffer is good again after its bytes were taken") func reuse() {
        var buffer = ByteBuffer()
        for size in [1, 5000, 100_000, 3] {
            let piece = Data(repeating: UInt8(size & 0xFF), count: size)
            let isAppended = append(piece, to: &buffer)
            #expect(isAppended)
            let taken = buffer.takeData()
            #expect(taken == piece)
        }
    }

    @Test("Reserving keeps the bytes, and more than there is of memory is refused") func reserve() {
        var buffer = ByteBuffer()
        _ = append(Data("abc".utf8), to: &buffer)
        let isReserved = buffer.reserve(1_000_000)
        #expect(isReserved)
        let isImpossible = buffer.reserve(Int.max)
        #expect(!isImpossible)
        _ = append(Data("def".utf8), to: &buffer)
        let taken = buffer.takeData()
        #expect(taken == Data("abcdef".utf8))
    }
}
