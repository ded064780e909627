import Foundation

extension SessionManager {
    /// Returns the progress of a task's request body; nil once the task has ended.
    ///
    /// Its total is -1 while it is unknown. It can cancel, pause and resume the task.
    ///
    /// - Parameter task: A task of this manager.
    /// - Returns: Its progress.
    public func uploadProgress(for task: URLSessionTask) -> Progress? {
        core.delegate(of: task)?.uploadProgress.progress
    }

    /// Returns the progress of a task's response body; nil once the task has ended.
    ///
    /// Its total is -1 while it is unknown. It can cancel, pause and resume the task.
    ///
    /// - Parameter task: A task of this manager.
    /// - Returns: Its progress.
    public func downloadProgress(for task: URLSessionTask) -> Progress? {
        core.delegate(of: task)?.downloadProgress.progress
    }

    /// Returns the progress of a task's request body as it changes, until the task ends.
    ///
    /// A slow reader gets only the latest state.
    ///
    /// - Parameter task: A task of this manager.
    /// - Returns: A sequence for one reader.
    public func uploadProgressUpdates(for task: URLSessionTask) -> AsyncStream<ProgressUpdate> {
        core.delegate(of: task)?.uploadProgress.updates() ?? AsyncStream { $0.finish() }
    }

    /// Returns the progress of a task's response body as it changes, until the task ends.
    ///
    /// A slow reader gets only the latest state.
    ///
    /// - Parameter task: A task of this manager.
    /// - Returns: A sequence for one reader.
    public func downloadProgressUpdates(for task: URLSessionTask) -> AsyncStream<ProgressUpdate> {
        core.delegate(of: task)?.downloadProgress.updates() ?? AsyncStream { $0.finish() }
    }
}
