/// A link that forwards the cancellation of a Swift task to a transfer, whichever of the two comes first.
package final class CancellationRelay: Sendable {
    private enum Target: Sendable {
        case task(URLSessionTask, keepsResumeData: Bool)
        case work(@Sendable () -> Void)

        func cancel() {
            switch self {
            case .task(let download as URLSessionDownloadTask, keepsResumeData: true): download.cancel { _ in }
            case .task(let task, _): task.cancel()
            case .work(let cancel): cancel()
            }
        }
    }

    private struct State: Sendable {
        var target: Target?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Creates a link without a transfer.
    package init() {}

    /// Sets the function that cancels the transfer; calls it immediately if ``cancel()`` was called before; returns
    /// whether the transfer may begin, because it was not cancelled.
    @discardableResult
    package func attach(_ cancel: @escaping @Sendable () -> Void) -> Bool { attach(.work(cancel)) }

    /// Sets the session task to cancel, and returns whether it may be started, because it was not cancelled.
    ///
    /// If `keepsResumeData`, the error of a cancelled download has resume data where that is possible.
    @discardableResult
    package func attach(_ task: URLSessionTask, keepsResumeData: Bool = true) -> Bool {
        attach(.task(task, keepsResumeData: keepsResumeData))
    }

    private func attach(_ target: Target) -> Bool {
        let isCancelled = state.withLock { state in
            state.target = state.isCancelled ? nil : target
            return state.isCancelled
        }
        if isCancelled { target.cancel() }
        return !isCancelled
    }

    /// Cancels the transfer, or cancels it as soon as one is attached.
    package func cancel() {
        let target = state.withLock { state in
            state.isCancelled = true
            defer { state.target = nil }
            return state.target
        }
        target?.cancel()
    }

    /// Releases the transfer, which can no longer be cancelled.
    ///
    /// Both the thread that completes a call and the calling task take the lock here. That shows the thread sanitizer
    /// their order, which it does not see where a continuation is resumed before its task waits.
    func finish() { state.withLock { $0.target = nil } }
}
