import FerrySession

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

    init<Value>(task: URLSessionTask, serializer: any ResponseSerializer, response: TaskResponse<Value>) {
        self.task = task
        self.serializer = (serializer as? UntypedResponseSerializer)?.base ?? serializer
        value = response.value
        self.response = TaskResponse(
            // Observers of all tasks receive it, and may log it.
            request: response.request?.presentable,
            response: response.response,
            data: response.data,
            fileURL: response.fileURL,
            error: response.error,
            metrics: response.metrics
        )
    }

    /// Reads the payload of ``Foundation/NSNotification/Name/networkingTaskDidComplete``; nil if it is another.
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

    /// The key of the ``NetworkError``, if there is one.
    public static let errorKey = "com.alamofire.networking.task.complete.error"

    /// The key of the URL of a downloaded file; absent if ``responseDataKey`` is present.
    public static let assetPathKey = "com.alamofire.networking.task.complete.assetpath"

    /// The key of the ``TaskMetrics``.
    public static let sessionTaskMetricsKey = "com.alamofire.networking.complete.sessiontaskmetrics"

    /// The key of the whole payload, a ``TaskCompletion``.
    public static let payloadKey = "ferry.networking.task.complete.payload"

    /// The payload as the user info of the notification.
    var userInfo: [AnyHashable: Any] {
        var info = [AnyHashable: Any](minimumCapacity: 7)
        info[Self.payloadKey] = self
        info[Self.responseSerializerKey] = serializer
        // Assigning nil would search for the key.
        if let value { info[Self.serializedResponseKey] = value }
        if let error = response.error { info[Self.errorKey] = error }
        if let metrics = response.metrics { info[Self.sessionTaskMetricsKey] = metrics }
        if let file = response.fileURL {
            info[Self.assetPathKey] = file
        } else if let data = response.data {
            info[Self.responseDataKey] = data
        }
        return info
    }
}
