import Foundation

/// Counts the finished operations of a batch, and reports them in order.
///
/// It retains an operation only once that has finished, so that a batch which is never run is freed.
final class BatchCounter: Sendable {
    private struct State: Sendable {
        var finished: [Int: RequestOperation] = [:]
        var completion: (@Sendable ([RequestOperation]) -> Void)?
        var progress: (@Sendable (Int, Int) -> Void)?
    }

    private let count: Int
    private let queue: DispatchQueue
    private let state: Locked<State>

    /// Creates a counter; the completion handler of an empty batch is called immediately.
    init(
        count: Int,
        queue: DispatchQueue?,
        progress: (@Sendable (Int, Int) -> Void)?,
        completion: @escaping @Sendable ([RequestOperation]) -> Void
    ) {
        self.count = count
        self.queue = DispatchQueue(label: "ferry.batch", target: queue ?? ManagerQueues.completion)
        state = Locked(State(completion: completion, progress: progress))
        if count == 0 { self.queue.async { completion([]) } }
    }

    /// Records that an operation has finished.
    func note(_ operation: RequestOperation, at index: Int) {
        queue.async { self.tell(operation, at: index) }
    }

    private func tell(_ operation: RequestOperation, at index: Int) {
        let (finished, progress) = state.withLock { state in
            state.finished[index] = operation
            return (state.finished.count, state.progress)
        }
        progress?(finished, count)
        guard finished == count else { return }
        let end = state.withLock { state in
            defer { state = State() }
            return state
        }
        end.completion?(end.finished.sorted { $0.key < $1.key }.map(\.value))
    }
}
