/// Keeps a task's `Progress` truthful, and gives it no number that Foundation's arithmetic traps on.
final class TaskProgress: Sendable {
    private struct State {
        var followers: [Follower] = []
        var total: Int64 = 0
        var completed: Int64 = 0
    }

    private struct Follower {
        weak var progress: Progress?
    }

    private let state = Mutex(State())

    /// Ties a `Progress` to the task.
    ///
    /// There are two where a data task has become a download: whoever watches either sees the task's end.
    func attach(
        _ progress: Progress,
        cancel: @escaping @Sendable () -> Void,
        pause: @escaping @Sendable () -> Void,
        resume: @escaping @Sendable () -> Void
    ) {
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = cancel
        progress.pausingHandler = pause
        progress.resumingHandler = resume
        state.withLock { state in
            state.followers.append(Follower(progress: progress))
            if state.total != 0 { progress.totalUnitCount = state.total }
            progress.completedUnitCount = state.completed
        }
    }

    /// Sets both counts; `total` is positive, or else unknown.
    func update(completed: Int64, total: Int64) {
        // Progress is no thread-safe class on Linux: writers are kept apart by this lock, and it calls nobody.
        state.withLock { state in
            let total = total > 0 ? max(total, completed) : -1
            // The new total comes first, so that the fraction never leaves 0...1.
            for progress in state.followers.compactMap(\.progress) {
                if total != state.total { progress.totalUnitCount = total }
                if completed != state.completed { progress.completedUnitCount = completed }
            }
            state.total = total
            state.completed = completed
        }
    }

    /// The task is over: what came was all.
    func finish(completed: Int64) {
        let whole = max(completed, 1)
        update(completed: whole, total: whole)
    }
}
