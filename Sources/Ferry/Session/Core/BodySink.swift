import FerrySession

/// Takes a response and its body as they come, on the session's delegate queue.
protocol BodySink: Sendable {
    /// Takes the response.
    func receive(_ response: URLResponse, of task: URLSessionTask)

    /// Takes a piece of the body.
    func receive(_ data: Data, of task: URLSessionTask)
}
