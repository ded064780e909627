import Foundation

/// The result of a task before validation and decoding.
struct TaskOutcome: Sendable {
    /// The task, which is the object of the notifications.
    let task: URLSessionTask

    /// The last request sent.
    let request: URLRequest?

    /// The final response.
    let response: URLResponse?

    /// The body; nil for a download and a streamed body, and if there is no response.
    let data: Data?

    /// A downloaded file, moved away from the session.
    let temporaryFile: URL?

    /// The destination that the manager's hook returned, which comes before that of the task.
    let hookDestination: URL?

    /// The error so far.
    let error: NetworkError?

    /// The task's metrics.
    let metrics: TaskMetrics
}
