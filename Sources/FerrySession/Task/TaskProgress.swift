/// Keeps a task's `Progress` truthful, and gives it no number that Foundation's arithmetic traps on.
final class TaskProgress: Sendable {
    private struct State {
        var followers: [Follower] = []
        var isPaused = false
        var isTurning = false
        var total: Int64 = 0
        var completed: Int64 = 0
    }

    private struct Follower {
        weak var progress: Progress?
    }

    private let state = Mutex(State())

    /// Ties a `Progress` to the task, once.
    ///
    /// There are two where a data task has become a download: whoever watches either sees the task's end.
    func attach(
        _ progress: Progress,
        cancel: @escaping @Sendable () -> Void,
        pause: @escaping @Sendable () -> Void,
        resume: @escaping @Sendable () -> Void
    ) {
        state.withLock { state in
            guard !state.followers.contains(where: { $0.progress === progress }) else { return }
            state.followers.append(Follower(progress: progress))
            progress.isCancellable = true
            progress.isPausable = true
            progress.cancellationHandler = cancel
            let follow: @Sendable (Bool) -> Void = { [self, weak progress] isResumption in
                followPauses(of: progress, isResumption: isResumption, pause: pause, resume: resume)
            }
            progress.pausingHandler = { follow(false) }
            progress.resumingHandler = { follow(true) }
            ProgressWriting.alone {
                if state.total != 0 { progress.totalUnitCount = state.total }
                progress.completedUnitCount = state.completed
            }
        }
    }

    /// Does as the Progress says now, one turn after the other.
    ///
    /// Foundation calls the handlers on a concurrent queue, so a resumption may overtake the pause before it. And
    /// suspensions are counted while pauses are not: a second one, or a parent's, changes nothing.
    private func followPauses(of progress: Progress?, isResumption: Bool, pause: () -> Void, resume: () -> Void) {
        // A task that no pause holds, a new one for example, is resumed as by its own function.
        var mustResume = isResumption
        while true {
            let mustPause = state.withLock { state -> Bool? in
                guard !state.isTurning, let isPaused = progress?.isPaused else { return nil }
                guard isPaused != state.isPaused || (mustResume && !isPaused) else { return nil }
                state.isPaused = isPaused
                state.isTurning = true
                return isPaused
            }
            guard let mustPause else { return }
            mustPause ? pause() : resume()
            mustResume = false
            state.withLock { $0.isTurning = false }
        }
    }

    /// The largest number that a `Progress` is given: Foundation's arithmetic with it, and with a parent's, stays exact.
    private static let largest: Int64 = 1 << 53

    /// Sets both counts; a total of zero, or one larger than any body, counts as unknown.
    func update(completed: ByteCount, total: ByteCount?) {
        let completed = min(completed.int64, Self.largest)
        state.withLock { state in
            var known = max(total?.int64 ?? 0, 0)
            if known > Self.largest { known = 0 }
            let total = known > 0 ? max(known, completed) : -1
            for follower in state.followers {
                guard let progress = follower.progress else { continue }
                ProgressWriting.alone {
                    // The new total comes first, so that the fraction never leaves 0...1.
                    if total != state.total { progress.totalUnitCount = total }
                    if completed != state.completed { progress.completedUnitCount = completed }
                }
            }
            state.total = total
            state.completed = completed
        }
    }

    /// The task is over: what came was all.
    func finish(completed: ByteCount) {
        let whole = max(completed, ByteCount(clamping: 1))
        update(completed: whole, total: whole)
    }
}
