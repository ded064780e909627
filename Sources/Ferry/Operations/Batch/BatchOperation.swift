import FerrySession

/// The last operation of a batch: it is ready when the batch is complete, and does nothing.
///
/// It depends on no operation: Foundation's dependencies would hold the batch's operations, and not be held by them.
final class BatchOperation: Operation, @unchecked Sendable {
    // Unchecked since Operation's conformance is; its own state is locked.

    private let isComplete = Locked(false)

    /// Lets the queue have it.
    func becomeReady() {
        willChangeValue(forKey: "isReady")
        isComplete.withLock { $0 = true }
        didChangeValue(forKey: "isReady")
    }

    override var isReady: Bool {
        (isComplete.withLock { $0 } || isCancelled) && super.isReady
    }

    override func start() {
        // Foundation ends the process over an operation that is started too early.
        guard isReady else { return }
        super.start()
    }
}
