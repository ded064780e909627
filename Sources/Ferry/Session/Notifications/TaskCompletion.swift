/// The result of a task, whatever the type of its value: the payload of the notification that it has completed.
///
/// AFNetworking: the user info of `AFNetworkingTaskDidCompleteNotification`.
public struct TaskCompletion: Sendable {
    /// The task.
    public var task: URLSessionTask

    /// The task's response serializer.
    public var serializer: any ResponseSerializer

    /// The value that the serializer returned, if there is one.
    public var value: (any Sendable)?

    /// The response without its value; the request's URL has no user and password.
    public var response: TaskResponse<Never>

    init(
        task: URLSessionTask,
        serializer: any ResponseSerializer,
        value: (any Sendable)?,
        response: TaskResponse<Never>
    ) {
        self.task = task
        self.serializer = (serializer as? UntypedResponseSerializer)?.base ?? serializer
        self.value = value
        self.response = response
        // Observers of all tasks receive it, and may log it.
        self.response.request = response.request?.presentable
    }

    /// Reads the payload of ``Foundation/NSNotification/Name/networkingTaskDidComplete``; nil for any other.
    public init?(_ notification: Notification) {
        guard let payload = notification.userInfo?[Self.payloadKey] as? TaskCompletion else { return nil }
        self = payload
    }

    // MARK: - User info

    /// The key of the value that the serializer returned, if there is one.
    public static let serializedResponseKey = "com.alamofire.networking.task.complete.serializedresponse"

    /// The key of the response serializer.
    public static let responseSerializerKey = "com.alamofire.networking.task.complete.responseserializer"

    /// The key of the body, a `Data`; absent if ``assetPathKey`` is present.
    public static let responseDataKey = "com.alamofire.networking.complete.finish.responsedata"

    /// The key of the ``NetworkError``, if there is one; for an `NSError`, write
    /// `(userInfo[errorKey] as? NetworkError)?.nsError`, since `as? NSError` is nil for Swift's errors on Linux.
    public static let errorKey = "com.alamofire.networking.task.complete.error"

    /// The key of the URL of a downloaded file; absent if ``responseDataKey`` is present.
    public static let assetPathKey = "com.alamofire.networking.task.complete.assetpath"

    /// The key of the `TaskMetrics`.
    public static let sessionTaskMetricsKey = "com.alamofire.networking.complete.sessiontaskmetrics"

    /// The key of the whole payload, a ``TaskCompletion``.
    public static let payloadKey = "ferry.networking.task.complete.payload"

    var userInfo: [AnyHashable: Any] {
        // With its capacity from the start, a dictionary hashes these long keys only once.
        var info = [AnyHashable: Any](minimumCapacity: 7)
        info[Self.responseSerializerKey] = serializer
        info[Self.payloadKey] = self
        info[Self.serializedResponseKey] = value
        info[Self.errorKey] = response.error
        info[Self.sessionTaskMetricsKey] = response.metrics
        info[Self.assetPathKey] = response.fileURL
        if response.fileURL == nil { info[Self.responseDataKey] = response.data }
        return info
    }
}

extension TaskCompletion: CustomStringConvertible, CustomReflectable {
    /// The description of the response, without secrets.
    public var description: String { "\(response)" }

    /// A mirror of the response alone, since `dump` would print the value.
    public var customMirror: Mirror { Mirror(self, children: ["response": response]) }
}
