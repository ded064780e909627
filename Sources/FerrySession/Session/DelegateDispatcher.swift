/// Brings tasks with news to the delegate queue: many of them in one operation where the queue is serial.
final class DelegateDispatcher: Sendable {
    private struct State {
        var ready: [TaskCore] = []
        var isScheduled = false
    }

    /// How many tasks one operation serves before others on the queue have their turn.
    private static let batch = 64

    let queue: OperationQueue
    private let state = Mutex(State())

    init(queue: OperationQueue) {
        self.queue = queue
    }

    func enqueue(_ core: TaskCore) {
        // On a concurrent queue tasks do not wait for each other.
        guard queue.maxConcurrentOperationCount == 1 else { return queue.addOperation { core.drain() } }
        let mustSchedule = state.withLock { state -> Bool in
            state.ready.append(core)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { queue.addOperation { [self] in run() } }
    }

    private func run() {
        var served = 0
        while served < Self.batch {
            let cores = state.withLock { state -> [TaskCore] in
                defer { state.ready = [] }
                if state.ready.isEmpty { state.isScheduled = false }
                return state.ready
            }
            if cores.isEmpty { return }
            for core in cores { core.drain() }
            served += cores.count
        }
        queue.addOperation { [self] in run() }
    }
}
