import FerrySession

/// One transfer of an operation, from a start or a resumption to the next pause or the end.
///
/// It holds the operation while it runs. What comes after its operation has turned to another transfer is dropped there.
final class OperationTransfer: BodySink {
    private let operation: RequestOperation
    private let relay = CancellationRelay()
    private let session = Locked<SessionManager?>(nil)

    /// Makes a transfer for an operation.
    init(_ operation: RequestOperation) {
        self.operation = operation
    }

    /// Takes the task, and cancels it if that was asked for already; keeps the manager of its session.
    func attach(_ task: URLSessionTask, in manager: SessionManager) {
        session.withLock { $0 = manager }
        relay.attach(task)
    }

    /// Cancels the task, now or when it comes.
    func cancel() {
        relay.cancel()
    }

    func receive(_ response: URLResponse, of task: URLSessionTask) {
        operation.transfer(self, didReceive: response)
    }

    func receive(_ data: Data, of task: URLSessionTask) {
        operation.transfer(self, didReceive: data)
    }

    /// Takes the end of the task.
    func finish(_ response: TaskResponse<Never>) {
        operation.transfer(self, didFinishWith: response.error)
    }
}
