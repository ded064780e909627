/// An operation that runs even if it is cancelled, so that every task completes.
///
/// `OperationQueue.cancelAllOperations()` is meant for the user's own operations and must not prevent a task's
/// completion. `@unchecked Sendable` like its superclass: the body never changes.
private final class DeliveryOperation: Operation, @unchecked Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    override func main() { body() }

    override func cancel() {}
}

extension OperationQueue {
    /// Adds a block that runs even if the queue's operations are cancelled.
    func deliver(_ body: @escaping @Sendable () -> Void) {
        addOperation(DeliveryOperation(body))
    }
}
