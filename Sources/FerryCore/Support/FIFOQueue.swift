/// A first-in, first-out queue whose operations take the same time on average, however long it is.
package struct FIFOQueue<Element> {
    /// The elements, from the head on; those before it have been removed.
    @usableFromInline var slots: [Element?] = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable package mutating func append(_ element: Element) { slots.append(element) }

    /// Adds an element before all others.
    @inlinable package mutating func prepend(_ element: Element) {
        if head > 0 {
            head -= 1
            slots[head] = element
        } else {
            slots.insert(element, at: 0)
        }
    }

    @inlinable package mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let first = slots[head]
        slots[head] = nil
        head += 1
        // Moving the others only after as many have been removed takes constant time for each.
        if head == slots.count || head > 64 && head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return first
    }

    package mutating func removeAll(where isRemoved: (Element) -> Bool) {
        slots = slots[head...].filter { !($0.map(isRemoved) ?? true) }
        head = 0
    }
}

extension FIFOQueue: Sendable where Element: Sendable {}
