import Foundation

extension RequestOperation {
    /// Groups operations, and calls a handler when all of them have finished.
    ///
    /// ```swift
    /// let batch = RequestOperation.batch(of: operations) { finished, total in
    ///     print("\(finished) of \(total)")
    /// } completion: { operations in
    ///     print(operations.filter { $0.error != nil }.count, "failed")
    /// }
    /// queue.addOperations(batch, waitUntilFinished: false)
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
    /// - Returns: The operations, and one more that finishes after the completion. Add them to a queue.
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
