import Ferry

/// The delegate of one upload or download task; it uses only the methods of `URLSession` delegates.
final class DemoTaskDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    struct State: Sendable {
        var sent: Int64 = 0
        var received: Int64 = 0
        var body = Data()
        var error: (any Error)?
        var isComplete = false
    }

    private let state = Mutex(State())
    private let item: ProgressBoard.Item
    private let destination: URL?

    init(_ item: ProgressBoard.Item, destination: URL? = nil) {
        self.item = item
        self.destination = destination
    }

    var current: State { state.withLock { $0 } }

    /// Waits up to about ten seconds until `isReached` returns `true`; throws the task's error, or a `CommandFailure`
    /// if the state was not reached in time or before the task ended.
    func wait(until isReached: @Sendable (State) -> Bool) async throws {
        for _ in 0..<1000 {
            let current = current
            if let error = current.error { throw error }
            if isReached(current) { return }
            if current.isComplete { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure(.failedCheck, "the task did not get as far as expected")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        state.withLock { $0.sent = totalBytesSent }
        item.update(totalBytesSent, of: totalBytesExpectedToSend, isUpload: true)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.body.append(data) }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        state.withLock { $0.received = totalBytesWritten }
        item.update(totalBytesWritten, of: totalBytesExpectedToWrite, isUpload: false)
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard let destination else { return }
        do {
            // The temporary file is deleted when this method returns.
            try FileManager.default.moveItem(at: location, to: destination)
        } catch {
            state.withLock { $0.error = error }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        item.end(isComplete: error == nil)
        state.withLock { state in
            state.error = state.error ?? error
            state.isComplete = true
        }
    }
}
