/// Cancels, suspends and resumes a task as its `Progress` is cancelled, paused and resumed.
///
/// Foundation calls the handlers on a concurrent queue, so a resumption may overtake the preceding pause. The result
/// does not depend on that: a `Progress` that is paused counts as one suspension, whatever else suspends the task, and
/// each resumption also resumes a task that was never resumed, for example a new one.
package final class ProgressControl: Sendable {
    private struct State {
        var isPaused = false
        var isTurning = false
        /// The number of resumptions that have not been passed on.
        var resumptions = 0

        /// Begins the next change, if one is due and none is under way.
        mutating func next(_ wanted: Bool?) -> Change? {
            guard !isTurning else { return nil }
            if let wanted, wanted != isPaused {
                (isPaused, isTurning) = (wanted, true)
                return wanted ? .pause : .resume
            }
            guard resumptions > 0 else { return nil }
            (resumptions, isTurning) = (resumptions - 1, true)
            return .start
        }
    }

    /// A change to a task.
    package enum Change: Sendable {
        case cancel, pause, resume
        /// Resumes the task if it was never resumed.
        case start
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets the handlers of a `Progress`, which is not retained; a task may have several.
    package func follow(_ progress: Progress, change: @escaping @Sendable (Change) -> Void) {
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { change(.cancel) }
        let follow: @Sendable () -> Void = { [self, weak progress] in
            while let next = state.withLock({ $0.next(progress?.isPaused) }) {
                change(next)
                state.withLock { $0.isTurning = false }
            }
        }
        progress.pausingHandler = follow
        progress.resumingHandler = { [self] in
            state.withLock { $0.resumptions += 1 }
            follow()
        }
    }
}

extension URLSessionTask {
    /// Changes the task; whether a task of another session was resumed before is not known.
    package func apply(_ change: ProgressControl.Change) {
        if let task = self as? any CurlTask { return task.core.apply(change) }
        switch change {
        case .cancel: cancel()
        case .pause: suspend()
        case .resume, .start: resume()
        }
    }
}
