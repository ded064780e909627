/// Suspends and resumes a task as its `Progress` is paused and resumed.
package final class ProgressPauses: Sendable {
    private struct State {
        var isPaused = false
        var isTurning = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets the handlers of a `Progress`, which is not retained; a task may have several.
    package func follow(
        _ progress: Progress,
        pause: @escaping @Sendable () -> Void,
        resume: @escaping @Sendable () -> Void
    ) {
        progress.isPausable = true
        let follow: @Sendable (Bool) -> Void = { [self, weak progress] isResumption in
            apply(progress, isResumption: isResumption, pause: pause, resume: resume)
        }
        progress.pausingHandler = { follow(false) }
        progress.resumingHandler = { follow(true) }
    }

    /// Pauses or resumes the task to match the `Progress`, one change at a time.
    ///
    /// Foundation calls the handlers on a concurrent queue, so a resumption may overtake the preceding pause.
    /// Suspensions are counted but pauses are not, so a second pause, or a parent's, must change nothing.
    private func apply(_ progress: Progress?, isResumption: Bool, pause: () -> Void, resume: () -> Void) {
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
}
