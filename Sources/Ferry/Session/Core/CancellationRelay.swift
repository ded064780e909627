import FerrySession

/// Carries the cancellation of a Swift task to a URL session task, whichever comes first.
final class CancellationRelay: Sendable {
    private struct State: Sendable {
        var task: URLSessionTask?
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Takes the task, and cancels it if that was asked for already.
    func attach(_ task: URLSessionTask) {
        let isCancelled = state.withLock { state in
            state.task = state.isCancelled ? nil : task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Cancels the task, now or when it comes.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
    }
}
