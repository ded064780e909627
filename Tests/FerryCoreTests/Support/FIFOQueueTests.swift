import Testing

@testable import FerryCore

struct FIFOQueueTests {
    @Test("Elements come out in order", arguments: [1, 2, 15, 64, 65, 66, 1_000])
    func order(_ ahead: Int) {
        var queue = FIFOQueue<Int>()
        var (next, expected) = (0, 0)
        for round in 0..<3 {
            while next - expected < ahead {
                queue.append(next)
                next += 1
            }
            // The last round removes all elements.
            for _ in 0..<(round < 2 ? ahead / 2 : ahead) {
                #expect(queue.popFirst() == expected)
                expected += 1
            }
        }
        #expect(queue.popFirst() == nil)
        #expect(queue.slots.count == 0)
    }

    @Test("A queue that is never empty does not grow")
    func bounded() {
        var queue = FIFOQueue<Int>()
        for number in 0..<10 { queue.append(number) }
        for number in 0..<100_000 {
            queue.append(number)
            _ = queue.popFirst()
        }
        #expect(queue.slots.count < 200)
    }

    @Test("A prepended element is the first one, and removed ones do not come out")
    func otherOperations() {
        var queue = FIFOQueue<Int>()
        for number in 2..<8 { queue.append(number) }
        queue.prepend(1)
        #expect(queue.popFirst() == 1)
        queue.prepend(0)
        queue.removeAll { $0.isMultiple(of: 2) }
        var rest: [Int] = []
        while let number = queue.popFirst() { rest.append(number) }
        #expect(rest == [3, 5, 7])
    }
}
