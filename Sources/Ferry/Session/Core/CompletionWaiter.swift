import FerrySession

/// A Swift task that waits for a response, and does itself what follows the transfer.
///
/// It has to be woken anyway: to decode on another queue first would wake one thread more. Downloads have no part in it,
/// since moving a file may wait for a disk.
final class CompletionWaiter: Sendable {
    /// What one that is made now completes to; the first to be made takes it.
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
    }

    private let state = Locked(State())

    /// The one that waits for the task which is made now, unless another task has taken it.
    static func take() -> CompletionWaiter? {
        guard let current else { return nil }
        let isTaken = current.state.withLock { state in
            defer { state.isTaken = true }
            return state.isTaken
        }
        return isTaken ? nil : current
    }

    /// Brings what is to be done; false if nobody waits any more.
    func bring(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isBrought, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard !state.isOver else { return (false, nil) }
            state.work = work
            return (true, state.signal())
        }
        continuation?.resume()
        return isBrought
    }

    /// Has the waiting task look whether its response is there.
    func wake() {
        state.withLock { $0.signal() }?.resume()
    }

    /// Waits for a response, and does meanwhile what is brought.
    func wait<Value: Sendable>(for received: Locked<Value?>) async -> Value {
        while true {
            state.withLock { state -> (@Sendable () -> Void)? in
                defer { state.work = nil }
                return state.work
            }?()
            if let value = received.withLock({ $0 }) {
                finish()
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

    private func finish() {
        // Another task than the awaited one may have taken the place, and brought its work last.
        state.withLock { state -> (@Sendable () -> Void)? in
            state.isOver = true
            defer { state.work = nil }
            return state.work
        }?()
    }
}
