/// Runs the maintenance of a cache's folder in the background, one run at a time.
package final class CacheMaintenance: Sendable {
    private let state = Mutex((isScheduled: false, hasRun: false))
    private let queue = DispatchQueue(label: "ferry.cache", qos: .utility)

    /// Calls `work` soon, unless it is planned already, or was called before and is necessary only once.
    package func begin(once: Bool = false, _ work: @escaping @Sendable () -> Void) {
        let isNew = state.withLock { state in
            guard !state.isScheduled, !(once && state.hasRun) else { return false }
            state = (true, true)
            return true
        }
        guard isNew else { return }
        queue.async { [self] in
            state.withLock { $0.isScheduled = false }
            work()
        }
    }

    /// Calls `work` after the runs that have been requested.
    package func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Waits until the runs that have been requested are over.
    package func wait() { queue.sync {} }
}
