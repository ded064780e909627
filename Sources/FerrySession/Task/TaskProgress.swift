/// Updates a task's `Progress` objects, with values on which Foundation's arithmetic does not trap.
final class TaskProgress: Sendable {
    private struct State {
        var followers: [Follower] = []
        var isPaused = false
        var isTurning = false
        var total: Int64 = 0
        var completed: Int64 = 0
    }

    private struct Follower { weak var progress: Progress? }

    private let state = Mutex(State())

    /// Connects a `Progress` to the task, once; a data task that has become a download has two.
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

    /// Pauses or resumes the task to match the `Progress`, one change at a time.
    ///
    /// Foundation calls the handlers on a concurrent queue, so a resumption may overtake the preceding pause.
    /// Suspensions are counted but pauses are not, so a second pause, or a parent's, must change nothing.
    private func followPauses(of progress: Progress?, isResumption: Bool, pause: () -> Void, resume: () -> Void) {
        // Resuming a `Progress` that is not paused resumes the task, for example a new one, as `resume()` does.
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

    /// The largest value given to a `Progress`, up to which Foundation's arithmetic, with a parent's too, is exact.
    private static let largest: Int64 = 1 << 53

    /// Sets both counts; a total that is zero or larger than `largest` counts as unknown.
    func update(completed: ByteCount, total: ByteCount?) {
        let completed = min(completed.int64, Self.largest)
        state.withLock { state in
            var known = max(total?.int64 ?? 0, 0)
            if known > Self.largest { known = 0 }
            let total = known > 0 ? max(known, completed) : -1
            for follower in state.followers {
                guard let progress = follower.progress else { continue }
                ProgressWriting.alone {
                    // The total is set first, so that the fraction never leaves 0...1.
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
}
