import FerryCore
import Foundation
import Testing

@Suite struct ByteBufferTests {
    private func append(_ data: Data, to buffer: inout ByteBuffer) -> Bool {
        data.withUnsafeBytes { buffer.append($0) }
    }

    @Test("Appended bytes are returned unchanged, whatever the sizes") func pieces() {
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

    @Test("A buffer can be used again after its bytes were taken") func reuse() {
        var buffer = ByteBuffer()
        for size in [1, 5000, 100_000, 3] {
            let piece = Data(repeating: UInt8(size & 0xFF), count: size)
            let isAppended = append(piece, to: &buffer)
            #expect(isAppended)
            let taken = buffer.takeData()
            #expect(taken == piece)
        }
    }

    private func address(of data: Data) -> UnsafeRawPointer? {
        data.withUnsafeBytes(\.baseAddress)
    }

    @Test("The memory of a large piece is reused once the piece is released") func recycling() {
        var buffer = ByteBuffer()
        let size = 1_000_000
        _ = append(Data(repeating: 1, count: size), to: &buffer)
        var first: Data? = buffer.takePiece()
        let firstAddress = first.flatMap { address(of: $0) }
        #expect(firstAddress != nil)
        _ = append(Data(repeating: 2, count: size), to: &buffer)
        let second = buffer.takePiece()
        #expect(address(of: second) != firstAddress)
        #expect(first == Data(repeating: 1, count: size))
        first = nil
        _ = append(Data(repeating: 3, count: 1000), to: &buffer)
        _ = append(Data(repeating: 3, count: size - 1000), to: &buffer)
        let third = buffer.takePiece()
        #expect(address(of: third) == firstAddress)
        #expect(third == Data(repeating: 3, count: size))
        #expect(second == Data(repeating: 2, count: size))
    }

    @Test("A piece that outlives its buffer keeps its bytes") func outliving() {
        let piece: Data
        do {
            var buffer = ByteBuffer()
            _ = append(Data(repeating: 7, count: 500_000), to: &buffer)
            piece = buffer.takePiece()
        }
        #expect(piece == Data(repeating: 7, count: 500_000))
    }

    @Test("A piece that would leave most of its memory unused is copied, and the buffer keeps the memory")
    func sparsePieces() {
        var buffer = ByteBuffer()
        _ = buffer.reserve(1_000_000)
        for value in UInt8(1)...3 {
            _ = append(Data(repeating: value, count: 10_000), to: &buffer)
            let piece = buffer.takePiece()
            #expect(piece == Data(repeating: value, count: 10_000))
            let isEmpty = buffer.isEmpty
            #expect(isEmpty)
        }
    }

    @Test("Reserving keeps the bytes, and fails for more memory than is available") func reserve() {
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
