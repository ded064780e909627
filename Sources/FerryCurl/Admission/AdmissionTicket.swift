/// The right to send a request, or the place in the queue for it; ``Admission`` knows nothing else of who asks.
///
/// Only the thread that has the engine uses it.
package class AdmissionTicket: @unchecked Sendable {
    package internal(set) var origin: Origin?
    /// Whether one of the origin's connections may be used.
    package internal(set) var hasConnection = false
    /// Whether the request counts among those that the session has in flight.
    package var isCounted = false
    /// The place in the queue that it waits in.
    package var place: SlotQueue.Place?
    /// The priority in the queue, as that of a task: from 0 to 1.
    package var priority = URLSessionTask.defaultPriority

    package func begin() {}
    package func wait() {}
    /// Returns whether the request may begin when its turn has come; otherwise it leaves the queue.
    func mayLeaveQueue() -> Bool { true }
}
