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
