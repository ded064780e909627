extension SessionManager {
    /// The tasks that have not ended, in the order they were made; reading it does not block on a queue.
    ///
    /// Tasks made in the ``session`` itself belong to them once they have been resumed, unless they have a completion
    /// handler or a delegate of their own. They have a progress, their body is collected, and they post notifications,
    /// but there is no closure to call with the response. The manager's retry policy, interceptors and deadline do not
    /// apply to them. The system's session does not report such tasks.
    public var tasks: [URLSessionTask] { core.tasks }

    /// The data tasks that have not ended; upload tasks are only in ``uploadTasks``.
    public var dataTasks: [URLSessionDataTask] {
        tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask }
    }

    /// The upload tasks that have not ended.
    public var uploadTasks: [URLSessionUploadTask] { tasks.compactMap { $0 as? URLSessionUploadTask } }

    /// The download tasks that have not ended.
    public var downloadTasks: [URLSessionDownloadTask] { tasks.compactMap { $0 as? URLSessionDownloadTask } }

    /// Resumes the tasks that an earlier process has left, except those that were suspended in it.
    ///
    /// They are among ``tasks`` if the manager's session has `CurlSession.Options.durability`. They have no closures:
    /// set ``hooks`` first, in particular ``SessionHooks/downloadTaskDidFinishDownloading``, which says where a file
    /// goes. AFNetworking: a background configuration, `attemptsToRecreateUploadTasksForBackgroundSessions`.
    public func continueEarlierTasks() { (session as? CurlSession)?.continueEarlierTasks() }

    /// Cancels all tasks; each completes with ``NetworkError/Code/cancelled``.
    public func cancelAllTasks() { for task in tasks { task.cancel() } }

    /// Cancels the tasks that satisfy a condition.
    public func cancelTasks(where isCancelled: (URLSessionTask) throws -> Bool) rethrows {
        for task in tasks where try isCancelled(task) { task.cancel() }
    }

    // MARK: - Progress

    /// Returns the progress of a task's request body; nil once the task has ended.
    ///
    /// Its total is -1 while it is unknown. It can cancel, pause and resume the task.
    ///
    /// - Parameter task: A task of this manager.
    /// - Returns: Its progress.
    public func uploadProgress(for task: URLSessionTask) -> Progress? {
        core.delegate(of: task)?.reporter(\.upload).progress(of: task)
    }

    /// Returns the progress of a task's response body, in the same way as ``uploadProgress(for:)``.
    public func downloadProgress(for task: URLSessionTask) -> Progress? {
        core.delegate(of: task)?.reporter(\.download).progress(of: task)
    }

    /// Returns the progress of a task's request body as it changes, for one reader, until the task ends.
    ///
    /// A slow reader gets only the latest state.
    public func uploadProgressUpdates(for task: URLSessionTask) -> AsyncStream<ProgressUpdate> {
        core.delegate(of: task)?.reporter(\.upload).updates() ?? AsyncStream { $0.finish() }
    }

    /// Returns the progress of a task's response body as it changes, for one reader, until the task ends.
    ///
    /// A slow reader gets only the latest state.
    public func downloadProgressUpdates(for task: URLSessionTask) -> AsyncStream<ProgressUpdate> {
        core.delegate(of: task)?.reporter(\.download).updates() ?? AsyncStream { $0.finish() }
    }
}
