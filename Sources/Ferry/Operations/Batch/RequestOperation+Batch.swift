import FerrySession

extension RequestOperation {
    /// Joins operations, and tells when all of them are through.
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
    /// An operation counts when its own completions have run, whether it failed or not. An empty batch is through at
    /// once.
    ///
    /// - Parameters:
    ///   - operations: The operations, none of which needs to be new.
    ///   - queue: Where both closures run, one call after the other; nil for a queue of the library's.
    ///   - progress: Receives how many operations are through, and how many there are.
    ///   - completion: Receives the operations, once, after everything else.
    /// - Returns: The operations, and one more that finishes after the completion; to be added to a queue.
    public static func batch(
        of operations: [RequestOperation],
        queue: DispatchQueue? = nil,
        progress: (@Sendable (_ finished: Int, _ total: Int) -> Void)? = nil,
        completion: @escaping @Sendable ([RequestOperation]) -> Void
    ) -> [Operation] {
        let last = BatchOperation()
        let tally = BatchTally(count: operations.count, queue: queue, progress: progress) { operations in
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
