import FerrySession

/// Counts the operations of a batch that are through, and tells of them in order.
///
/// It has an operation only from its end on, so that a batch which is never run is freed.
final class BatchTally: Sendable {
    private struct State: Sendable {
        var finished: [Int: RequestOperation] = [:]
        var completion: (@Sendable ([RequestOperation]) -> Void)?
        var progress: (@Sendable (Int, Int) -> Void)?
    }

    private let count: Int
    private let queue: DispatchQueue
    private let state: Locked<State>

    /// Makes a tally; one of nothing is complete at once.
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

    /// Notes that an operation is through.
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
