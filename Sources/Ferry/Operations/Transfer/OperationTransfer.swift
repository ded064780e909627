import Foundation

/// One transfer of an operation, from a start or resumption to the next pause or the end.
///
/// It retains the operation while it runs. The operation ignores events of any transfer but its current one.
final class OperationTransfer: BodySink {
    private let operation: RequestOperation
    private let relay = CancellationRelay()
    private let session = Locked<SessionManager?>(nil)

    /// Creates a transfer for an operation.
    init(_ operation: RequestOperation) {
        self.operation = operation
    }

    /// Attaches the task, cancelling it if that was already requested, and retains the manager of its session.
    func attach(_ task: URLSessionTask, in manager: SessionManager) {
        session.withLock { $0 = manager }
        relay.attach(task)
    }

    /// Cancels the task, immediately or when it is attached.
    func cancel() {
        relay.cancel()
    }

    func receive(_ response: URLResponse, of task: URLSessionTask) {
        operation.transfer(self, didReceive: response)
    }

    func receive(_ data: Data, of task: URLSessionTask) {
        operation.transfer(self, didReceive: data)
    }

    /// Passes on the end of the task.
    func finish(_ response: TaskResponse<Never>) {
        operation.transfer(self, didFinishWith: response.error)
    }
}
