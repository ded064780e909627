/// Schedules tasks with pending events on the delegate queue.
///
/// On a queue made by the session or by one of Ferry's managers, the events of one turn of the engine share an
/// operation: a response that arrives in one piece costs one operation for its head, body and end. A user's own queue
/// gets an operation for each event, as from URLSession, so that an operation that a delegate adds to the queue runs
/// before the next event.
final class DelegateDispatcher: Sendable {
    private struct State {
        var ready: [TaskCore] = []
        /// An empty array with capacity, which replaces `ready` when its tasks are taken.
        var spare: [TaskCore] = []
        var isScheduled = false
        /// Streams with bytes for waiting readers.
        var streams: [ByteStream] = []
        /// The thread that has the engine, which schedules delivery itself when its turn ends.
        var engine: pthread_t?
    }

    /// The number of tasks that one operation serves before other operations on the queue get their turn.
    private static let batch = 64

    let queue: OperationQueue
    private let isBatching: Bool
    private let state = Mutex(State())

    init(queue: OperationQueue, isBatching: Bool) {
        self.queue = queue
        self.isBatching = isBatching
    }

    func enqueue(_ core: TaskCore) {
        guard isBatching else { return queue.deliver { core.deliverOne() } }
        // On a concurrent queue tasks do not wait for each other.
        guard queue.maxConcurrentOperationCount == 1 else { return queue.deliver { core.drain() } }
        let mustSchedule = state.withLock { state -> Bool in
            state.ready.append(core)
            if state.isScheduled || state.engine == pthread_self() { return false }
            state.isScheduled = true
            return true
        }
        if mustSchedule { queue.deliver { [self] in run() } }
    }

    /// Calls a delegate on the queue, immediately if the caller is on it.
    func call(_ body: @escaping @Sendable () -> Void) {
        if OperationQueue.current === queue { body() } else { queue.deliver(body) }
    }

    /// Flushes a stream at the end of the engine's turn, or immediately if called from another thread.
    func flushAtEndOfTurn(_ stream: ByteStream) {
        let isEngine = state.withLock { state -> Bool in
            guard state.engine == pthread_self() else { return false }
            state.streams.append(stream)
            return true
        }
        if !isEngine { stream.flush() }
    }

    private func schedule() {
        let mustSchedule = state.withLock { state -> Bool in
            guard !state.isScheduled, !state.ready.isEmpty else { return false }
            state.isScheduled = true
            return true
        }
        if mustSchedule { queue.deliver { [self] in run() } }
    }

    private func run() {
        var served = 0
        while served < Self.batch {
            var cores = state.withLock { state -> [TaskCore] in
                if state.ready.isEmpty { state.isScheduled = false }
                let ready = state.ready
                state.ready = state.spare
                state.spare = []
                return ready
            }
            if cores.isEmpty { return }
            for core in cores { core.drain() }
            served += cores.count
            // No task may be released under the lock.
            cores.removeAll(keepingCapacity: true)
            let spare = cores
            state.withLock { $0.spare = spare }
        }
        queue.deliver { [self] in run() }
    }
}

/// The engine's reports about its turns, which are made on the thread that has the engine.
extension DelegateDispatcher {
    func engineDidBeginTurn() { state.withLock { $0.engine = pthread_self() } }

    /// Delivers the events of a turn, which the tasks have received.
    func engineDidEndTurn() {
        let streams = state.withLock { state -> [ByteStream] in
            defer { if !state.streams.isEmpty { state.streams = [] } }
            return state.streams
        }
        for stream in streams { stream.flush() }
        schedule()
    }

    func engineDidLeaveThread() {
        state.withLock { $0.engine = nil }
        schedule()
    }
}

/// An operation that runs even if it is cancelled, so that every task completes.
///
/// `OperationQueue.cancelAllOperations()` is meant for the user's own operations and must not prevent a task's
/// completion. `@unchecked Sendable` like its superclass: the body never changes.
private final class DeliveryOperation: Operation, @unchecked Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    override func main() { body() }
    override func cancel() {}
}

extension OperationQueue {
    /// Adds a block that runs even if the queue's operations are cancelled.
    package func deliver(_ body: @escaping @Sendable () -> Void) { addOperation(DeliveryOperation(body)) }
}
