import FerrySession

/// What follows the end of a task: validation and decoding, the completion handler, the notification, in this order.
struct CompletionPipeline<Value: Sendable>: Sendable {
    /// Makes the final response; runs on the processing queue, or in the Swift task that waits for it.
    let makeResponse: @Sendable (TaskOutcome) -> TaskResponse<Value>

    /// The user's handler.
    let completionHandler: @Sendable (TaskResponse<Value>) -> Void

    /// Where the handler runs; nil runs it at once.
    let completionQueue: DispatchQueue?

    /// The Swift task that waits for the response; it needs no queue.
    let waiter: CompletionWaiter?

    /// The task's place in the completion group.
    let token: CompletionToken

    /// The serializer, for the notification.
    let serializer: any ResponseSerializer

    /// Who posts the notification.
    let notifications: NotificationPoster

    /// Who else wants to know.
    let monitor: CompositeEventMonitor

    /// Starts it.
    ///
    /// Where nobody has chosen a queue, one hop serves for decoding and for the handler.
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
