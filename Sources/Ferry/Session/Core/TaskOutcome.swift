import FerrySession

/// What a task came to, before validation and decoding.
struct TaskOutcome: Sendable {
    /// The task itself, the object of the notifications.
    let task: URLSessionTask

    /// The request as it was sent last.
    let request: URLRequest?

    /// The final response.
    let response: URLResponse?

    /// The body; nil for a download.
    let data: Data?

    /// A downloaded file, in a temporary place of Ferry's own.
    let temporaryFile: URL?

    /// Where the manager's own hook wants the file, ahead of the task's destination.
    let hookDestination: URL?

    /// What went wrong so far.
    let error: NetworkError?

    /// What the task cost.
    let metrics: TaskMetrics
}
