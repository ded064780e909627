import Foundation

/// The result of a task before validation and decoding; an object, since it is passed through several closures.
final class TaskOutcome: Sendable {
    /// The task, which is the object of the notifications.
    let task: URLSessionTask
    /// The last request sent.
    let request: URLRequest?
    let response: URLResponse?
    /// The body; nil for a download and a streamed body, and if there is no response.
    let data: Data?
    /// A downloaded file, moved away from the session.
    let temporaryFile: URL?
    /// The destination that the manager's hook returned, which comes before that of the task.
    let hookDestination: URL?
    let error: NetworkError?
    let metrics: TaskMetrics

    init(
        task: URLSessionTask,
        request: URLRequest?,
        response: URLResponse?,
        data: Data?,
        temporaryFile: URL?,
        hookDestination: URL?,
        error: NetworkError?,
        metrics: TaskMetrics
    ) {
        self.task = task
        self.request = request
        self.response = response
        self.data = data
        self.temporaryFile = temporaryFile
        self.hookDestination = hookDestination
        self.error = error
        self.metrics = metrics
    }
}

/// The steps after a task's end: validation and decoding, the completion handler, the notification, in this order.
///
/// A class, since it is passed through several closures.
final class CompletionPipeline<Value: Sendable>: Sendable {
    /// Makes the final response.
    ///
    /// It runs on the processing queue, on the default completion queue if the handler runs there too, or in the Swift
    /// task that awaits the response.
    let makeResponse: @Sendable (TaskOutcome) -> TaskResponse<Value>
    let completionHandler: @Sendable (TaskResponse<Value>) -> Void
    /// The queue of the handler; nil runs it directly after `makeResponse`, on the same thread.
    let completionQueue: DispatchQueue?
    /// The Swift task that awaits the response and runs the pipeline itself, without a queue.
    let waiter: CompletionWaiter?
    let token: CompletionToken
    /// The serializer, for the notification.
    let serializer: any ResponseSerializer
    let notifications: NotificationPoster
    let monitor: CompositeEventMonitor

    init(
        makeResponse: @escaping @Sendable (TaskOutcome) -> TaskResponse<Value>,
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void,
        completionQueue: DispatchQueue?,
        waiter: CompletionWaiter?,
        token: CompletionToken,
        serializer: any ResponseSerializer,
        notifications: NotificationPoster,
        monitor: CompositeEventMonitor
    ) {
        self.makeResponse = makeResponse
        self.completionHandler = completionHandler
        self.completionQueue = completionQueue
        self.waiter = waiter
        self.token = token
        self.serializer = serializer
        self.notifications = notifications
        self.monitor = monitor
    }

    /// Starts the pipeline.
    ///
    /// With the default completion queue, decoding and the handler share one block, which saves a dispatch.
    func run(_ outcome: TaskOutcome) {
        if let waiter, waiter.bring({ self.process(outcome, on: nil) }) { return }
        let isOwn = completionQueue === ManagerQueues.completion
        (isOwn ? ManagerQueues.completion : ManagerQueues.processing).async {
            self.process(outcome, on: isOwn ? nil : self.completionQueue)
        }
    }

    private func process(_ outcome: TaskOutcome, on queue: DispatchQueue?) {
        let response = makeResponse(outcome)
        guard let queue else { return deliver(response, of: outcome.task) }
        queue.async { self.deliver(response, of: outcome.task) }
    }

    private func deliver(_ response: TaskResponse<Value>, of task: URLSessionTask) {
        completionHandler(response)
        let payload = TaskCompletion(task: task, serializer: serializer, response: response)
        monitor.task(task, didFinishWith: payload)
        if response.fileURL != nil {
            notifications.post(.downloadTaskDidMoveFile, object: task)
        } else if let error = response.error?.underlyingError as? DownloadMoveError {
            let userInfo = [DownloadMoveError.payloadKey: error]
            notifications.post(.downloadTaskDidFailToMoveFile, object: task, userInfo: userInfo)
        }
        let cost = response.data?.count ?? 0
        notifications.post(.networkingTaskDidComplete, object: task, cost: cost, userInfo: payload.userInfo)
        token.leave()
    }
}

/// A task's membership in its completion group.
///
/// The group is left exactly once: after the completion handler or, for a task that is released without ever having
/// run, when the token is released. Releasing a `DispatchGroup` that is still entered would end the process.
package final class CompletionToken: Sendable {
    private let group: Mutex<DispatchGroup?>

    /// Enters a group.
    package init(_ group: DispatchGroup) {
        group.enter()
        self.group = Mutex(group)
    }

    /// Leaves the group; does nothing after the first call.
    package func leave() {
        let group = group.withLock { group in
            defer { group = nil }
            return group
        }
        group?.leave()
    }

    deinit { leave() }
}

/// A response serializer whose value type is known only at run time, such as the manager's own.
package struct UntypedResponseSerializer: ResponseSerializer {
    let base: any ResponseSerializer

    /// Wraps a serializer.
    package init(base: any ResponseSerializer) { self.base = base }

    package var maximumBytes: Int? { base.maximumBytes }

    package func serialize(
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> SerializedResponse<any Sendable> {
        func run(_ base: some ResponseSerializer) -> SerializedResponse<any Sendable> {
            let result = base.serialize(request: request, response: response, data: data)
            return SerializedResponse(value: result.value, error: result.error)
        }
        return run(base)
    }
}
