import Foundation

/// A receiver of a response and its body as they arrive, called on the session's delegate queue.
protocol BodySink: Sendable {
    /// Receives the response.
    func receive(_ response: URLResponse, of task: URLSessionTask)

    /// Receives a piece of the body.
    func receive(_ data: Data, of task: URLSessionTask)
}
