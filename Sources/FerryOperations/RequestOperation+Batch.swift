extension RequestOperation {
    /// Groups operations, and calls a handler when all of them have finished.
    ///
    /// ```swift
    /// let batch = RequestOperation.batch(of: operations) { finished, total in
    ///     print("\(finished) of \(total)")
    /// } completion: { operations in
    ///     print(operations.filter { $0.error != nil }.count, "failed")
    /// }
    /// for operation in batch { queue.addOperation(operation) }
    /// ```
    ///
    /// An operation counts as finished when its own completions have run, whether it failed or not. An empty batch is
    /// complete immediately.
    ///
    /// - Parameters:
    ///   - operations: The operations; some may already be running or finished.
    ///   - queue: The queue on which both closures run, serially; nil for a private queue.
    ///   - progress: Called with the number of finished operations and their total number.
    ///   - completion: Called once with the operations, after the last progress.
    /// - Returns: The operations, and one more that finishes after the completion, even if it is cancelled. Add them to
    ///   a queue, except those that are started, finished or in a queue: with these, Foundation ends the process.
    public static func batch(
        of operations: [RequestOperation],
        queue: DispatchQueue? = nil,
        progress: (@Sendable (_ finished: Int, _ total: Int) -> Void)? = nil,
        completion: @escaping @Sendable ([RequestOperation]) -> Void
    ) -> [Operation] {
        let last = BatchOperation()
        let tally = BatchCounter(count: operations.count, queue: queue, progress: progress) { operations in
            completion(operations)
            last.becomeReady()
        }
        for (index, operation) in operations.enumerated() {
            let note: @Sendable (RequestOperation) -> Void = { tally.note($0, at: index) }
            if !operation.record.withLock({ $0.addObserver(note) }) { note(operation) }
        }
        return operations + [last]
    }
}

/// Counts the finished operations of a batch, and reports them in order.
///
/// It retains an operation only after its end, so that a batch that never runs is released.
private final class BatchCounter: Sendable {
    typealias Progress = @Sendable (_ finished: Int, _ total: Int) -> Void
    typealias Completion = @Sendable ([RequestOperation]) -> Void

    private struct State: Sendable {
        var finished: [Int: RequestOperation] = [:]
        var completion: Completion?
        var progress: Progress?
    }

    private let count: Int
    private let queue: DispatchQueue
    private let state: Mutex<State>

    /// Creates a counter; the completion handler of an empty batch is called immediately.
    init(count: Int, queue: DispatchQueue?, progress: Progress?, completion: @escaping Completion) {
        self.count = count
        self.queue = DispatchQueue(label: "ferry.batch", target: queue ?? ManagerQueues.completion)
        state = Mutex(State(completion: completion, progress: progress))
        if count == 0 { self.queue.async { completion([]) } }
    }

    /// Records that an operation has finished.
    func note(_ operation: RequestOperation, at index: Int) { queue.async { self.tell(operation, at: index) } }

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

/// The last operation of a batch, which becomes ready when the batch is complete and does nothing.
///
/// It has no dependencies: these would make it retain the batch's operations, which would not retain it.
private final class BatchOperation: Operation, @unchecked Sendable {
    // Unchecked since Operation's conformance is; its own state is locked.

    private let isComplete = Mutex(false)

    /// Makes the operation ready, so that its queue can start it.
    func becomeReady() {
        willChangeValue(forKey: "isReady")
        isComplete.withLock { $0 = true }
        didChangeValue(forKey: "isReady")
    }

    override var isReady: Bool { isComplete.withLock { $0 } && super.isReady }

    override func start() {
        // Foundation ends the process if an operation is started before it is ready.
        guard isReady else { return }
        super.start()
    }
}
