import FerrySession

/// Carries the cancellation of a Swift task to what it cancels, whichever comes first.
final class CancellationRelay: Sendable {
    private struct State: Sendable {
        var cancelOther: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Takes what is to be called, and calls it if cancellation was asked for already.
    func attach(_ cancelOther: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancelOther = state.isCancelled ? nil : cancelOther
            return state.isCancelled
        }
        if isCancelled { cancelOther() }
    }

    /// Takes the task to cancel.
    func attach(_ task: URLSessionTask) {
        attach { task.cancel() }
    }

    /// Cancels, now or when there is something to cancel.
    func cancel() {
        let cancelOther = state.withLock { state in
            state.isCancelled = true
            defer { state.cancelOther = nil }
            return state.cancelOther
        }
        cancelOther?()
    }
}
