import Foundation

/// The steps after a task's end: validation and decoding, the completion handler, the notification, in this order.
struct CompletionPipeline<Value: Sendable>: Sendable {
    /// Makes the final response.
    ///
    /// It runs on the processing queue, on the default completion queue if the handler runs there too, or in the Swift
    /// task that awaits the response.
    let makeResponse: @Sendable (TaskOutcome) -> TaskResponse<Value>

    /// The caller's completion handler.
    let completionHandler: @Sendable (TaskResponse<Value>) -> Void

    /// The queue of the handler; nil runs it directly after `makeResponse`, on the same thread.
    let completionQueue: DispatchQueue?

    /// The Swift task that awaits the response and runs the pipeline itself, without a queue.
    let waiter: CompletionWaiter?

    /// The task's membership in the completion group.
    let token: CompletionToken

    /// The serializer, for the notification.
    let serializer: any ResponseSerializer

    /// The poster of the notification.
    let notifications: NotificationPoster

    /// The event monitors to notify.
    let monitor: CompositeEventMonitor

    /// Starts the pipeline.
    ///
    /// With the default completion queue, decoding and the handler share one block, which saves a dispatch.
    func run(_ outcome: TaskOutcome) {
        if let waiter, waiter.bring({ process(outcome, on: nil) }) { return }
        let isOwn = completionQueue === ManagerQueues.completion
        (isOwn ? ManagerQueues.completion : ManagerQueues.processing).async {
            process(outcome, on: isOwn ? nil : completionQueue)
        }
    }

    private func process(_ outcome: TaskOutcome, on queue: DispatchQueue?) {
        let response = makeResponse(outcome)
        guard let queue else { return deliver(response, of: outcome) }
        queue.async { deliver(response, of: outcome) }
    }

    private func deliver(_ response: TaskResponse<Value>, of outcome: TaskOutcome) {
        completionHandler(response)
        let payload = TaskCompletion(task: outcome.task, serializer: serializer, response: response)
        monitor.task(outcome.task, didFinishWith: payload)
        postMove(of: response, task: outcome.task)
        notifications.post(.networkingTaskDidComplete, object: outcome.task, userInfo: payload.userInfo)
        token.leave()
    }

    private func postMove(of response: TaskResponse<Value>, task: URLSessionTask) {
        if response.fileURL != nil {
            notifications.post(.downloadTaskDidMoveFile, object: task)
        } else if let error = response.error?.underlyingError as? DownloadMoveError {
            let info: [String: any Sendable] = [DownloadMoveError.payloadKey: error]
            notifications.post(.downloadTaskDidFailToMoveFile, object: task, userInfo: info)
        }
    }
}
