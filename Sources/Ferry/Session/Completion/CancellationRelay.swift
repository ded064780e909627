import Foundation

/// A link that forwards the cancellation of a Swift task to a transfer, whichever of the two comes first.
final class CancellationRelay: Sendable {
    private struct State: Sendable {
        var cancelOther: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Sets the function that cancels the transfer; calls it immediately if ``cancel()`` was called before.
    func attach(_ cancelOther: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancelOther = state.isCancelled ? nil : cancelOther
            return state.isCancelled
        }
        if isCancelled { cancelOther() }
    }

    /// Sets the session task to cancel.
    func attach(_ task: URLSessionTask) {
        attach { task.cancel() }
    }

    /// Cancels the transfer, or cancels it as soon as one is attached.
    func cancel() {
        let cancelOther = state.withLock { state in
            state.isCancelled = true
            defer { state.cancelOther = nil }
            return state.cancelOther
        }
        cancelOther?()
    }
}
