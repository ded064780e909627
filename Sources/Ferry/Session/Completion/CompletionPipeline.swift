import Synchronization

/// The result of a task before validation and decoding.
struct TaskOutcome: Sendable {
    /// The task, which is the object of the notifications.
    let task: URLSessionTask
    /// The response without a value; it has no data for a download or a streamed body, or if the server sent none.
    let response: TaskResponse<Never>
    /// A downloaded file, moved away from the session.
    let temporaryFile: URL?
    /// The destination that the manager's hook returned, which replaces the task's.
    let hookDestination: URL?
    /// The observers that the end of the task was reported to.
    let observers: Observers
    /// Ends the record of a durable session, when a file has been moved.
    let endRecord: (@Sendable () -> Void)?
}

/// The steps after a task's end: validation and decoding, the completion handler, the notification, in this order.
///
/// It does not depend on the type of the value.
struct CompletionPipeline: Sendable {
    /// Validates and decodes; returns a closure that calls the completion handler and returns what observers receive.
    ///
    /// It runs on the processing queue, on the default completion queue if the handler runs there too, or in the Swift
    /// task that awaits the response.
    typealias Preparation = @Sendable (TaskOutcome) -> @Sendable () -> TaskCompletion

    /// The queue of the handler; nil runs it directly after `prepare`, on the same thread.
    let completionQueue: DispatchQueue?
    /// The Swift task that awaits the response and runs the pipeline itself, without a queue.
    let waiter: CompletionWaiter?
    let token: CompletionToken
    let notifications: NotificationPoster
    let prepare: Preparation

    /// Starts the pipeline.
    ///
    /// With the default completion queue, decoding and the handler share one block, which saves a dispatch.
    func run(_ outcome: TaskOutcome) {
        if let waiter, waiter.run({ self.process(outcome, on: nil) }) { return }
        let isOwn = completionQueue === ManagerQueues.completion
        (isOwn ? ManagerQueues.completion : ManagerQueues.processing).async {
            self.process(outcome, on: isOwn ? nil : self.completionQueue)
        }
    }

    private func process(_ outcome: TaskOutcome, on queue: DispatchQueue?) {
        let callHandler = prepare(outcome)
        // The record ends before the handler runs, which may end the process.
        outcome.endRecord?()
        guard let queue else { return end(callHandler, outcome.observers) }
        queue.async {
            // Notifications about the task's start and its file come before its handler.
            self.notifications.postWaiting(on: queue)
            self.end(callHandler, outcome.observers)
        }
    }

    private func end(_ callHandler: () -> TaskCompletion, _ observers: Observers) {
        let completion = callHandler()
        let (task, response) = (completion.task, completion.response)
        observers.notify { $0.task(task, didFinishWith: completion) }
        let cost = max(response.data?.count ?? 0, response.error?.data?.count ?? 0)
        notifications.post(.networkingTaskDidComplete, object: task, cost: cost, userInfo: completion.userInfo)
        token.leave()
    }
}

/// A task's membership in its completion group.
///
/// The group is left exactly once: after the completion handler or, for a task that is released without ever having
/// run, when the token is released. Releasing a `DispatchGroup` that is still entered would end the process.
package final class CompletionToken: Sendable {
    private let group: DispatchGroup
    private let hasLeft = Atomic(false)

    package init(_ group: DispatchGroup) {
        group.enter()
        self.group = group
    }

    /// Leaves the group; does nothing after the first call.
    package func leave() {
        if !hasLeft.exchange(true, ordering: .acquiringAndReleasing) { group.leave() }
    }

    deinit { leave() }
}
