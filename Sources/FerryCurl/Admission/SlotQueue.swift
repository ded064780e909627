/// A number of slots for requests, and the requests that wait for one: for a connection of an origin, or for one of
/// the requests that a session may have in flight.
///
/// Requests with a priority above the default come first, then those with the default, then those below it, each group
/// in its order. A class, because changing a value in a dictionary allocates; only the thread that has the engine
/// touches it.
package final class SlotQueue {
    /// The place of a request in a queue.
    package final class Place {
        fileprivate private(set) var ticket: AdmissionTicket?
        /// Weak, since the queue retains places that were left.
        private weak var queue: SlotQueue?

        fileprivate init(_ ticket: AdmissionTicket, in queue: SlotQueue) {
            (self.ticket, self.queue) = (ticket, queue)
        }

        /// Leaves the queue, which keeps nothing of the request from then on.
        package func leave() {
            guard ticket != nil else { return }
            ticket = nil
            queue?.noteLeft()
        }
    }

    package private(set) var running = 0
    package var limit: Int
    /// Whether a task's own URL names the origin, and not only a redirect.
    package var isNamedByTask = false
    /// The pace of requests, if there is a limit besides the number of slots.
    var pace: RequestPace?
    private var queues = [FIFOQueue<Place>](repeating: FIFOQueue(), count: 3)
    private var waiting = 0
    /// The number of places in the queues that were left.
    private var left = 0

    package init(limit: Int, pace: RequestPace? = nil) {
        self.limit = limit
        self.pace = pace
    }

    package var isEmpty: Bool { running == 0 && waiting == 0 }

    /// Acquires a slot if one is free and the pace allows a request now, and returns whether it did.
    package func enter() -> Bool {
        // Those that wait come first.
        guard running < limit, waiting == 0, isInPace else { return false }
        running += 1
        return true
    }

    /// Whether the pace allows a request now.
    var isInPace: Bool { pace?.nextTime(at: .now()) == nil }

    /// Acquires a slot even if none is free: a request that is resumed still has its connection.
    func reenter() { running += 1 }
    package func leave() { running -= 1 }

    /// Queues a request: behind the others of its priority, or before them if it has waited here already.
    package func wait(_ ticket: AdmissionTicket, isReturning: Bool = false) {
        let (priority, normal) = (ticket.priority, URLSessionTask.defaultPriority)
        let index = priority > normal ? 0 : priority < normal ? 2 : 1
        ticket.wait()
        let place = Place(ticket, in: self)
        ticket.place = place
        if isReturning { queues[index].prepend(place) } else { queues[index].append(place) }
        waiting += 1
    }

    private func noteLeft() {
        (waiting, left) = (waiting - 1, left + 1)
        // Removing each place from the array as it is left would take quadratic time.
        guard left > 64, left > waiting else { return }
        for index in queues.indices { queues[index].removeAll { $0.ticket == nil } }
        left = 0
    }

    /// Returns the next request that waits, with a slot, if one is free and the pace allows a request now.
    package func next() -> AdmissionTicket? {
        guard mayBegin, isInPace else { return nil }
        for index in queues.indices {
            while let place = queues[index].popFirst() {
                guard let ticket = place.ticket else {
                    left -= 1
                    continue
                }
                waiting -= 1
                ticket.place = nil
                guard ticket.mayLeaveQueue() else { continue }
                running += 1
                return ticket
            }
        }
        return nil
    }

    /// Whether a request waits although a slot is free.
    var mayBegin: Bool { waiting > 0 && running < limit }
}
