/// A Swift task that awaits a response, and runs the completion pipeline itself.
///
/// The Swift task has to be woken in any case: decoding on another queue first would wake one more thread. Downloads do
/// not use it, since moving a file may block on the disk.
final class CompletionWaiter: Sendable {
    /// The waiter for the session task that is made in this scope; the first one made takes it.
    @TaskLocal static var current: CompletionWaiter?

    private struct State: Sendable {
        var isTaken = false
        /// The Swift task that starts the session task once its host can be reached.
        var start: Task<Void, Never>?
        var work: (@Sendable () -> Void)?
        /// The `TaskResponse`, whatever the type of its value.
        var response: (any Sendable)?
        /// Whether the call has returned its response, and no longer runs anything.
        var isOver = false
        var continuation: CheckedContinuation<Void, Never>?

        mutating func take() -> (work: (@Sendable () -> Void)?, response: (any Sendable)?) {
            defer { (work, response) = (nil, nil) }
            if response != nil { isOver = true }
            return (work, response)
        }

        mutating func takeContinuation() -> CheckedContinuation<Void, Never>? {
            defer { continuation = nil }
            return continuation
        }
    }

    /// Cancels the session task when the Swift task is cancelled.
    let relay = CancellationRelay()
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

    /// Runs code of the user so that session tasks made in it do not take the current waiter.
    static func hidden<Result>(_ body: () throws -> Result) rethrows -> Result {
        current == nil ? try body() : try $current.withValue(nil, operation: body)
    }

    /// Runs a pipeline in the Swift task; returns false, without running it, if the Swift task no longer waits.
    func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isAccepted, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isOver else { return (false, nil) }
            state.work = work
            return (true, state.takeContinuation())
        }
        continuation?.resume()
        return isAccepted
    }

    func finish(_ response: any Sendable) {
        let (continuation, start) = state.withLock { state in
            state.response = response
            return (state.takeContinuation(), state.start)
        }
        start?.cancel()
        continuation?.resume()
    }

    /// Sets the Swift task that is going to start the session task; it is cancelled if the response comes first.
    func attach(_ start: Task<Void, Never>) {
        let isWaiting = state.withLock { state in
            if state.response == nil { state.start = start }
            return state.response == nil
        }
        if !isWaiting { start.cancel() }
    }

    /// Waits for the response, and runs the pipelines that are submitted in the meantime.
    func wait() async -> any Sendable {
        await arrival()
        while true {
            // Another task than the awaited one may have taken the waiter, and submitted work last: that runs too.
            let (work, response) = state.withLock { $0.take() }
            work?()
            if let response { return response }
            if work == nil { await arrival() }
        }
    }

    private func arrival() async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                if state.work != nil || state.response != nil { return true }
                state.continuation = continuation
                return false
            }
            if hasArrived { continuation.resume() }
        }
    }
}
