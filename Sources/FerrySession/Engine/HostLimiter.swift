/// The connection slots of one origin: how many exchanges use its connections, and which ones wait.
///
/// Exchanges of a higher priority come first, and those of one priority in their order. A class, because changing a
/// value in a dictionary allocates; only the thread that has the engine touches it.
final class HostLimiter {
    private(set) var running = 0
    var limit: Int
    private var queues: [Queue] = [Queue(), Queue(), Queue()]
    private var waiting = 0

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { running == 0 && waiting == 0 }

    /// Takes a slot if one is free, and returns whether it was.
    func enter() -> Bool {
        guard running < limit else { return false }
        running += 1
        return true
    }

    /// Takes a slot even if none is free: an exchange that is resumed still has its connection.
    func reenter() { running += 1 }
    func leave() { running -= 1 }

    func wait(_ exchange: Exchange, priority: Float) {
        let index = priority > URLSessionTask.defaultPriority ? 0 : priority < URLSessionTask.defaultPriority ? 2 : 1
        queues[index].append(exchange)
        waiting += 1
    }

    /// Returns the next exchange that waits, with its slot, if one is free.
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

    /// A first-in, first-out queue whose operations take the same time however long it is.
    private struct Queue {
        private var items: [Exchange?] = []
        private var head = 0

        mutating func append(_ exchange: Exchange) { items.append(exchange) }

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
