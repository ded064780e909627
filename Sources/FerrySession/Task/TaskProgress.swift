/// Keeps a task's `Progress` truthful, and gives it no number that Foundation's arithmetic traps on.
final class TaskProgress: Sendable {
    private struct State {
        weak var progress: Progress?
        var total: Int64 = 0
        var completed: Int64 = 0
    }

    private let state = Mutex(State())

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
        state.withLock { $0.progress = progress }
    }

    /// Sets both counts; `total` is positive, or else unknown.
    func update(completed: Int64, total: Int64) {
        // Progress is no thread-safe class on Linux: writers are kept apart by this lock, and it calls nobody.
        state.withLock { state in
            guard let progress = state.progress else { return }
            let total = total > 0 ? max(total, completed) : -1
            // The new total comes first, so that the fraction never leaves 0...1.
            if total != state.total { progress.totalUnitCount = total }
            if completed != state.completed { progress.completedUnitCount = completed }
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
