import Foundation

extension SessionManager {
    /// The tasks that have not ended, in the order they were made; reading it does not block on a queue.
    public var tasks: [URLSessionTask] { core.registry.tasks }

    /// The data tasks that have not ended; upload tasks are only in ``uploadTasks``.
    public var dataTasks: [URLSessionDataTask] {
        tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask }
    }

    /// The upload tasks that have not ended.
    public var uploadTasks: [URLSessionUploadTask] { tasks.compactMap { $0 as? URLSessionUploadTask } }

    /// The download tasks that have not ended.
    public var downloadTasks: [URLSessionDownloadTask] { tasks.compactMap { $0 as? URLSessionDownloadTask } }

    /// Cancels all tasks; each completes with ``NetworkError/Code/cancelled``.
    public func cancelAllTasks() {
        for task in tasks { task.cancel() }
    }

    /// Cancels the tasks that satisfy a condition.
    ///
    /// - Parameter isCancelled: Returns whether to cancel a task.
    public func cancelTasks(where isCancelled: (URLSessionTask) throws -> Bool) rethrows {
        for task in tasks where try isCancelled(task) { task.cancel() }
    }
}
