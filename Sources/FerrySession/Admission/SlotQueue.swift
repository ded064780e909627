/// A number of slots for requests, and the exchanges that wait for one: for a connection of an origin, or for one of the
/// requests that a session may have in flight.
///
/// Exchanges with a priority above the default come first, then those with the default, then those below it, each group
/// in its order. A class, because changing a value in a dictionary allocates; only the thread that has the engine
/// touches it.
final class SlotQueue {
    /// The place of an exchange in a queue.
    final class Place {
        fileprivate private(set) var exchange: Exchange?
        private let queue: SlotQueue

        fileprivate init(_ exchange: Exchange, in queue: SlotQueue) { (self.exchange, self.queue) = (exchange, queue) }

        /// Leaves the queue, which keeps nothing of the exchange from then on.
        func leave() {
            guard exchange != nil else { return }
            exchange = nil
            queue.noteLeft()
        }
    }

    private(set) var running = 0
    var limit: Int
    /// When requests may begin, if not only the number of slots decides.
    var pace: RequestPace?
    private var queues: [Queue] = [Queue(), Queue(), Queue()]
    private var waiting = 0
    /// The number of places in the queues that were left.
    private var left = 0

    init(limit: Int, pace: RequestPace? = nil) {
        self.limit = limit
        self.pace = pace
    }

    var isEmpty: Bool { running == 0 && waiting == 0 }

    /// Takes a slot if one is free and its time has come, and returns whether it has.
    func enter() -> Bool {
        // Those that wait come first.
        guard running < limit, waiting == 0, isInPace else { return false }
        running += 1
        return true
    }

    /// Whether a request may be sent now, as far as only the time decides.
    var isInPace: Bool { pace?.nextTime(at: .now()) == nil }

    /// Takes a slot even if none is free: an exchange that is resumed still has its connection.
    func reenter() { running += 1 }
    func leave() { running -= 1 }

    /// Lets an exchange wait: behind the others of its priority, or before them if it has waited here already.
    func wait(_ exchange: Exchange, isReturning: Bool = false) {
        let (priority, normal) = (exchange.priority, URLSessionTask.defaultPriority)
        let index = priority > normal ? 0 : priority < normal ? 2 : 1
        exchange.phase = .waitingForSlot
        let place = Place(exchange, in: self)
        exchange.slot.place = place
        if isReturning { queues[index].prepend(place) } else { queues[index].append(place) }
        waiting += 1
    }

    private func noteLeft() {
        (waiting, left) = (waiting - 1, left + 1)
        // Removing each of them at once would take quadratic time.
        guard left > 64, left > waiting else { return }
        for index in queues.indices { queues[index].removeLeft() }
        left = 0
    }

    /// Returns the next exchange that waits, with its slot, if one is free and its time has come.
    func next() -> Exchange? {
        guard mayBegin, isInPace else { return nil }
        for index in queues.indices {
            while let place = queues[index].popFirst() {
                guard let exchange = place.exchange else {
                    left -= 1
                    continue
                }
                waiting -= 1
                exchange.slot.place = nil
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

    /// Whether an exchange waits although a slot is free.
    var mayBegin: Bool { waiting > 0 && running < limit }

    /// A first-in, first-out queue whose operations take the same time however long it is.
    private struct Queue {
        private var items: [Place?] = []
        private var head = 0

        mutating func append(_ place: Place) { items.append(place) }

        mutating func prepend(_ place: Place) {
            if head > 0 {
                head -= 1
                items[head] = place
            } else {
                items.insert(place, at: 0)
            }
        }

        /// Removes the places that were left.
        mutating func removeLeft() {
            items = items[head...].filter { $0?.exchange != nil }
            head = 0
        }

        mutating func popFirst() -> Place? {
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
