import Foundation

/// An observer of the tasks of a manager, for logging and measuring.
///
/// Every method does nothing by default.
///
/// Methods are called on the manager's ``SessionManager/operationQueue`` unless they say otherwise, never with a lock
/// held. They must return soon.
public protocol EventMonitor: Sendable {
    /// Called when a task has been made, on the thread that made it.
    func taskDidCreate(_ task: URLSessionTask)

    /// Called when a task has been resumed, on the thread that resumed it.
    func taskDidResume(_ task: URLSessionTask)

    /// Called when a task has been suspended, on the thread that suspended it.
    func taskDidSuspend(_ task: URLSessionTask)

    /// Called when a part of the request body has been sent; the total is nil if it is unknown.
    func task(_ task: URLSessionTask, didSend byteCount: Int64, of totalByteCount: Int64?)

    /// Called when a redirect is followed, or refused if there is no new request.
    func task(_ task: URLSessionTask, didRedirectBy response: HTTPURLResponse, to request: URLRequest?)

    /// Called when an authentication challenge has arrived.
    func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge)

    /// Called when a response has arrived.
    func task(_ task: URLSessionTask, didReceive response: URLResponse)

    /// Called when a piece of the response body has arrived.
    func task(_ task: URLSessionTask, didReceive data: Data)

    /// Called when the transfer has ended, with the error of the transport.
    func task(_ task: URLSessionTask, didCompleteWith error: (any Error)?)

    /// Called after the completion handler, on the queue it ran on.
    func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion)

    /// Called when a session has become invalid.
    func sessionDidBecomeInvalid(_ session: URLSession, error: (any Error)?)
}

extension EventMonitor {
    /// Does nothing.
    public func taskDidCreate(_ task: URLSessionTask) {}

    /// Does nothing.
    public func taskDidResume(_ task: URLSessionTask) {}

    /// Does nothing.
    public func taskDidSuspend(_ task: URLSessionTask) {}

    /// Does nothing.
    public func task(_ task: URLSessionTask, didSend byteCount: Int64, of totalByteCount: Int64?) {}

    /// Does nothing.
    public func task(_ task: URLSessionTask, didRedirectBy response: HTTPURLResponse, to request: URLRequest?) {}

    /// Does nothing.
    public func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {}

    /// Does nothing.
    public func task(_ task: URLSessionTask, didReceive response: URLResponse) {}

    /// Does nothing.
    public func task(_ task: URLSessionTask, didReceive data: Data) {}

    /// Does nothing.
    public func task(_ task: URLSessionTask, didCompleteWith error: (any Error)?) {}

    /// Does nothing.
    public func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion) {}

    /// Does nothing.
    public func sessionDidBecomeInvalid(_ session: URLSession, error: (any Error)?) {}
}
