/// An operation on the delegate queue that cancelling does not keep from running: what it delivers is owed.
///
/// `OperationQueue.cancelAllOperations()` is meant for the user's own operations; it must not leave a task without its
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
    /// Adds something that runs even when the queue's operations are cancelled.
    func deliver(_ body: @escaping @Sendable () -> Void) {
        addOperation(DeliveryOperation(body))
    }
}
