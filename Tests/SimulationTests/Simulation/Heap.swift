/// Values in the order of their times, and values with equal times in the order in which they were inserted.
struct Heap<Value> {
    private var entries: [(time: UInt64, number: Int, value: Value)] = []
    private var number = 0

    var first: UInt64? { entries.first?.time }
    var firstValue: Value? { entries.first?.value }

    mutating func insert(_ value: Value, at time: UInt64) {
        number += 1
        entries.append((time, number, value))
        var child = entries.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() -> Value? {
        guard !entries.isEmpty else { return nil }
        entries.swapAt(0, entries.count - 1)
        let removed = entries.removeLast().value
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < entries.count }
            guard let least = children.min(by: { isBefore($0, $1) }), isBefore(least, parent) else { return removed }
            entries.swapAt(least, parent)
            parent = least
        }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (entries[left].time, entries[left].number) < (entries[right].time, entries[right].number)
    }
}
