/// A link that forwards the cancellation of a Swift task to a transfer, whichever of the two comes first.
package final class CancellationRelay: Sendable {
    private struct State: Sendable {
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Creates a link without a transfer.
    package init() {}

    /// Sets the function that cancels the transfer; calls it immediately if ``cancel()`` was called before; returns
    /// whether the transfer may begin, because it was not cancelled.
    @discardableResult
    package func attach(_ cancel: @escaping @Sendable () -> Void) -> Bool {
        let isCancelled = state.withLock { state in
            state.cancel = state.isCancelled ? nil : cancel
            return state.isCancelled
        }
        if isCancelled { cancel() }
        return !isCancelled
    }

    /// Sets the session task to cancel, and returns whether it may be started, because it was not cancelled.
    ///
    /// The error of a cancelled download has resume data where that is possible.
    @discardableResult
    package func attach(_ task: URLSessionTask) -> Bool {
        attach {
            if let download = task as? URLSessionDownloadTask { download.cancel { _ in } } else { task.cancel() }
        }
    }

    /// Cancels the transfer, or cancels it as soon as one is attached.
    package func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            defer { state.cancel = nil }
            return state.cancel
        }
        cancel?()
    }

    /// Releases the transfer, which can no longer be cancelled.
    ///
    /// Both the thread that completes a call and the calling task take the lock here. That shows the thread sanitizer
    /// their order, which it does not see where a continuation is resumed before its task waits.
    func finish() { state.withLock { $0.cancel = nil } }
}
