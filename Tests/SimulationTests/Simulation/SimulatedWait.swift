/// A wait of an asynchronous function, which ends at its time or when its Swift task is cancelled.
final class SimulatedWait: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Void, any Error>?
        var result: Result<Void, any Error>?
    }

    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.result != nil } }

    /// Ends the wait; only the first end counts.
    func finish(_ result: Result<Void, any Error>) {
        let continuation = state.withLock { state in
            if state.result == nil { state.result = result }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    /// Returns when the wait has ended.
    func end() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.continuation = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}
