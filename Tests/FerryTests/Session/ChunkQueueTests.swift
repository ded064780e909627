import Foundation
import Testing

@testable import Ferry

@Suite("Pieces that wait to be read")
struct ChunkQueueTests {
    @Test("They are read in order, and counted", arguments: [1, 2, 15, 16, 17, 40, 1_000])
    func order(_ ahead: Int) {
        var queue = ChunkQueue()
        var next = 0
        var expected = 0
        for round in 0..<3 {
            while next - expected < ahead {
                queue.append(Data([UInt8(next % 251)]))
                next += 1
            }
            #expect(queue.byteCount == ahead)
            // The last round removes all.
            for _ in 0..<(round < 2 ? ahead / 2 : ahead) {
                let chunk = queue.takeFirst()
                #expect(chunk == Data([UInt8(expected % 251)]))
                expected += 1
            }
        }
        let none = queue.takeFirst()
        #expect(queue.isEmpty && queue.byteCount == 0 && none == nil)
        #expect(queue.slotCount == 0)
    }

    @Test("A reader that is always behind does not let the queue grow")
    func bounded() {
        var queue = ChunkQueue()
        for _ in 0..<10 { queue.append(Data([1])) }
        for _ in 0..<100_000 {
            queue.append(Data([1]))
            _ = queue.takeFirst()
        }
        #expect(queue.byteCount == 10)
        #expect(queue.slotCount < 40)
    }
}
