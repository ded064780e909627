extension Notification.Name {
    /// Posted when a task has been resumed; the object is the task.
    public static let networkingTaskDidResume = Self("com.alamofire.networking.task.resume")

    /// Posted when a task has been suspended; the object is the task.
    public static let networkingTaskDidSuspend = Self("com.alamofire.networking.task.suspend")

    /// Posted after a task's completion handler; the object is the task, the payload a ``TaskCompletion``.
    public static let networkingTaskDidComplete = Self("com.alamofire.networking.task.complete")

    /// Posted when a session has become invalid; the object is the session.
    public static let sessionDidInvalidate = Self("com.alamofire.networking.session.invalidate")

    /// Posted when a downloaded file has been moved to its destination; the object is the task.
    public static let downloadTaskDidMoveFile = Self("com.alamofire.networking.session.download.file-manager-succeed")

    /// Posted when a downloaded file could not be moved; the object is the task, the payload a ``DownloadMoveError``.
    ///
    /// As with AFNetworking, the user info also has the entries of the error's own user info, such as both paths.
    public static let downloadTaskDidFailToMoveFile = Self(
        "com.alamofire.networking.session.download.file-manager-error"
    )

    /// Posted when a ``ReachabilityManager`` has a new status; the object is the manager.
    public static let networkingReachabilityDidChange = Self("com.alamofire.networking.reachability.change")
}
