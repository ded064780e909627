import Synchronization

/// A delegate written like AFNetworking's: a locked dictionary from task identifier to record, on one serial queue.
public final class WorkloadDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private let records = Mutex<[Int: TaskRecord]>([:])

    func register(_ record: TaskRecord, for task: URLSessionTask) {
        records.withLock { $0[task.taskIdentifier] = record }
    }

    private func record(of task: URLSessionTask) -> TaskRecord? {
        records.withLock { $0[task.taskIdentifier] }
    }

    /// Collects or counts the bytes.
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        record(of: dataTask)?.receive(data)
    }

    /// Moves the downloaded file.
    public func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        record(of: downloadTask)?.receive(fileAt: location)
    }

    /// Completes the task's record.
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let record = records.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        record?.complete(task, error)
    }
}
