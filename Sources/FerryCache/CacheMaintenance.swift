/// Runs the maintenance of a cache's folder in the background, one run at a time.
package final class CacheMaintenance: Sendable {
    package enum Reason: Sendable {
        /// An earlier process may have left files; only the first time has an effect.
        case firstUse
        /// The index must be rebuilt, which may fail, so that it is not tried again immediately.
        case rebuild
        /// There are files to remove.
        case removal
    }

    private struct State {
        package var isScheduled = false
        package var hasRun = false
        package var rebuildTime: MonotonicTime?
    }

    /// The minimum time between two attempts to rebuild the index.
    private static let rebuildInterval = TimeSpan.milliseconds(10_000)

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "ferry.cache", qos: .utility)

    /// Calls `work` soon, if it is necessary and is not planned already.
    package func begin(_ reason: Reason, _ work: @escaping @Sendable () -> Void) {
        let isNew = state.withLock { state in
            switch reason {
            case .firstUse: guard !state.hasRun else { return false }
            case .rebuild:
                let now = MonotonicTime.now()
                guard state.rebuildTime.map({ $0 <= now }) ?? true else { return false }
                state.rebuildTime = now.advanced(by: Self.rebuildInterval)
            case .removal: break
            }
            defer { (state.isScheduled, state.hasRun) = (true, true) }
            return !state.isScheduled
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
