/// Who may connect to one origin now, and who waits: first come, first served within a priority.
///
/// It is a class since changing a value in a dictionary allocates; only the thread that has its engine touches it.
final class HostGate {
    private(set) var running = 0
    var limit: Int
    private var queues: [Queue] = [Queue(), Queue(), Queue()]
    private var waiting = 0

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { running == 0 && waiting == 0 }

    /// Takes a place if one is free.
    func enter() -> Bool {
        guard running < limit else { return false }
        running += 1
        return true
    }

    /// Takes a place whether or not one is free: a suspended transfer that goes on keeps its connection.
    func reenter() {
        running += 1
    }

    func leave() {
        running -= 1
    }

    func wait(_ exchange: Exchange, priority: Float) {
        let index = priority > URLSessionTask.defaultPriority ? 0 : priority < URLSessionTask.defaultPriority ? 2 : 1
        queues[index].append(exchange)
        waiting += 1
    }

    /// The next one that still wants to enter, if there is a place.
    func next() -> Exchange? {
        guard running < limit, waiting > 0 else { return nil }
        for index in queues.indices {
            while let exchange = queues[index].popFirst() {
                waiting -= 1
                guard exchange.phase == .waitingForSlot else { continue }
                guard !exchange.isSuspended else {
                    exchange.phase = .parked
                    continue
                }
                running += 1
                return exchange
            }
        }
        return nil
    }

    /// A first-in, first-out list whose operations cost the same however long it is.
    private struct Queue {
        private var items: [Exchange?] = []
        private var head = 0

        mutating func append(_ exchange: Exchange) {
            items.append(exchange)
        }

        mutating func popFirst() -> Exchange? {
            guard head < items.count else { return nil }
            let first = items[head]
            items[head] = nil
            head += 1
            if head > 64, head * 2 > items.count {
                items.removeFirst(head)
                head = 0
            }
            return first
        }
    }
}
