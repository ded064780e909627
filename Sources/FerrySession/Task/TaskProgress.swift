/// Updates a task's `Progress` objects, with values on which Foundation's arithmetic does not trap.
final class TaskProgress: Sendable {
    private struct State {
        var followers: [Follower] = []
        /// Made with the first follower.
        var control: ProgressControl?
        var total: Int64 = 0
        var completed: Int64 = 0
    }

    private struct Follower { weak var progress: Progress? }

    private let state = Mutex(State())

    /// Connects a `Progress` to the task, once; a data task that has become a download has two.
    func attach(_ progress: Progress, change: @escaping @Sendable (ProgressControl.Change) -> Void) {
        state.withLock { state in
            guard !state.followers.contains(where: { $0.progress === progress }) else { return }
            state.followers.append(Follower(progress: progress))
            let control = state.control ?? ProgressControl()
            state.control = control
            control.follow(progress, change: change)
            ProgressWriting.alone {
                if state.total != 0 { progress.totalUnitCount = state.total }
                progress.completedUnitCount = state.completed
            }
        }
    }

    /// Sets both counts; a total that is zero or too large for a `Progress` counts as unknown.
    func update(completed: ByteCount, total: ByteCount?) {
        let (completed, total) = ProgressWriting.units(completed: completed.int64, total: total?.int64)
        state.withLock { state in
            for follower in state.followers {
                guard let progress = follower.progress else { continue }
                ProgressWriting.alone {
                    // The total is set first, so that the fraction never leaves 0...1.
                    // After two different totals and an unknown one, Foundation's fraction would remain zero.
                    if total > 0, state.total > 0, total != state.total { progress.totalUnitCount = -1 }
                    if total != state.total { progress.totalUnitCount = total }
                    if completed != state.completed { progress.completedUnitCount = completed }
                }
            }
            state.total = total
            state.completed = completed
        }
    }

    /// Shows the task as finished, with the received bytes as the total.
    func finish(completed: ByteCount) {
        let whole = max(completed, ByteCount(clamping: 1))
        update(completed: whole, total: whole)
    }
}

/// Serializes writes to `Progress` objects in the whole process.
///
/// On Linux `Progress` is not thread-safe, and a parent adds up the children of several tasks, sessions and managers.
package enum ProgressWriting {
    private static let lock = Mutex(())

    /// Calls `body` while no other thread writes; setting the counts of a `Progress` calls no user code.
    package static func alone<Result>(_ body: () -> Result) -> Result { lock.withLock { _ in body() } }

    /// The largest value given to a `Progress`, up to which Foundation's arithmetic, with a parent's too, is exact.
    private static let largest: Int64 = 1 << 53

    /// Returns counts on which Foundation's arithmetic does not trap.
    ///
    /// A total that is zero or less, or larger than `largest`, counts as unknown, which is -1.
    package static func units(completed: Int64, total: Int64?) -> (completed: Int64, total: Int64) {
        let completed = min(max(completed, 0), largest)
        guard let total, total > 0, total <= largest else { return (completed, -1) }
        return (completed, max(total, completed))
    }
}
