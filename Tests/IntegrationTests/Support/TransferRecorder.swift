import Ferry

/// A delegate that records its calls.
final class TransferRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    struct Record: Sendable {
        var received: Int64 = 0
        var data = Data()
        /// The bytes of the downloaded file, read when the delegate was called.
        var file: Data?
        var response: HTTPURLResponse?
        var error: URLError?
        var completions = 0
    }

    private let state = Locked(Record())
    private let keepsData: Bool

    init(keepsData: Bool = true) {
        self.keepsData = keepsData
    }

    var record: Record { state.withLock { $0 } }

    /// Waits until the record satisfies a condition, for at most a minute.
    func wait(until isDone: (Record) -> Bool) async throws {
        for _ in 0..<6000 {
            if isDone(record) { return }
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        throw URLError(.timedOut)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { record in
            record.completions += 1
            record.error = error as? URLError
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { $0.response = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { record in
            record.received += Int64(data.count)
            if keepsData { record.data.append(data) }
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        state.withLock { $0.received = totalBytesWritten }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        // Mapped bytes stay readable after the file is deleted.
        let data = try? Contents.of(location)
        state.withLock { $0.file = data }
    }
}
