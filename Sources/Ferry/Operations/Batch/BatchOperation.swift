import Foundation

/// The last operation of a batch, which becomes ready when the batch is complete and does nothing.
///
/// It has no dependencies: with Foundation's, it would retain the batch's operations, but they would not retain it.
final class BatchOperation: Operation, @unchecked Sendable {
    // Unchecked since Operation's conformance is; its own state is locked.

    private let isComplete = Locked(false)

    /// Makes the operation ready, so that its queue can start it.
    func becomeReady() {
        willChangeValue(forKey: "isReady")
        isComplete.withLock { $0 = true }
        didChangeValue(forKey: "isReady")
    }

    override var isReady: Bool {
        (isComplete.withLock { $0 } || isCancelled) && super.isReady
    }

    override func start() {
        // Foundation ends the process if an operation is started before it is ready.
        guard isReady else { return }
        super.start()
    }
}
