import Foundation

/// A Swift task that awaits a response, and runs the completion pipeline itself.
///
/// The Swift task has to be woken in any case: decoding on another queue first would wake one more thread. Downloads do
/// not use it, since moving a file may block on the disk.
final class CompletionWaiter: Sendable {
    /// The waiter for the session task that is made in this scope; the first one made takes it.
    @TaskLocal static var current: CompletionWaiter?

    private struct State: Sendable {
        var isTaken = false
        var isOver = false
        var isSignalled = false
        var work: (@Sendable () -> Void)?
        var continuation: CheckedContinuation<Void, Never>?

        mutating func signal() -> CheckedContinuation<Void, Never>? {
            defer { continuation = nil }
            isSignalled = continuation == nil
            return continuation
        }

        mutating func takeWork() -> (@Sendable () -> Void)? {
            defer { work = nil }
            return work
        }
    }

    private let state = Mutex(State())

    /// Returns the waiter for the session task that is being made; nil if there is none or another task has taken it.
    static func take() -> CompletionWaiter? {
        guard let current else { return nil }
        let isTaken = current.state.withLock { state in
            defer { state.isTaken = true }
            return state.isTaken
        }
        return isTaken ? nil : current
    }

    /// Runs code of the user, whose session tasks do not take the current waiter.
    static func hidden<Result>(_ body: () throws -> Result) rethrows -> Result {
        current == nil ? try body() : try $current.withValue(nil, operation: body)
    }

    /// Hands over work for the waiting Swift task; returns false if it no longer waits.
    func bring(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isBrought, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isOver else { return (false, nil) }
            state.work = work
            return (true, state.signal())
        }
        continuation?.resume()
        return isBrought
    }

    /// Wakes the waiting Swift task to check whether its response has arrived.
    func wake() { state.withLock { $0.signal() }?.resume() }

    /// Waits for a response, and runs the submitted work in the meantime.
    func wait<Value: Sendable>(for received: borrowing Mutex<Value?>) async -> Value {
        while true {
            state.withLock { $0.takeWork() }?()
            if let value = received.withLock({ $0 }) {
                // A task other than the awaited one may have taken the waiter, and submitted its work last: run it too.
                state.withLock { state in
                    state.isOver = true
                    return state.takeWork()
                }?()
                return value
            }
            await withCheckedContinuation { continuation in
                let isSignalled = state.withLock { state in
                    if !state.isSignalled { state.continuation = continuation }
                    defer { state.isSignalled = false }
                    return state.isSignalled
                }
                if isSignalled { continuation.resume() }
            }
        }
    }
}

/// A link that forwards the cancellation of a Swift task to a transfer, whichever of the two comes first.
package final class CancellationRelay: Sendable {
    private struct State: Sendable {
        var cancelOther: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Creates a link without a transfer.
    package init() {}

    /// Sets the function that cancels the transfer; calls it immediately if ``cancel()`` was called before.
    ///
    /// - Returns: Whether the transfer may begin, because it was not cancelled.
    @discardableResult
    func attach(_ cancelOther: @escaping @Sendable () -> Void) -> Bool {
        let isCancelled = state.withLock { state in
            state.cancelOther = state.isCancelled ? nil : cancelOther
            return state.isCancelled
        }
        if isCancelled { cancelOther() }
        return !isCancelled
    }

    /// Sets the session task to cancel; the error of a cancelled download has resume data where that is possible.
    ///
    /// - Returns: Whether the task may be started, because it was not cancelled.
    @discardableResult
    package func attach(_ task: URLSessionTask) -> Bool {
        attach {
            if let download = task as? URLSessionDownloadTask { download.cancel { _ in } } else { task.cancel() }
        }
    }

    /// Cancels the transfer, or cancels it as soon as one is attached.
    package func cancel() {
        let cancelOther = state.withLock { state in
            state.isCancelled = true
            defer { state.cancelOther = nil }
            return state.cancelOther
        }
        cancelOther?()
    }
}
