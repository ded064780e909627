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

    /// Called when an attempt has failed and the request is going to be sent again.
    func task(_ task: URLSessionTask, willRetry retry: TaskMetrics.Retry)

    /// Called when an interim response has arrived (RFC 9110, section 15.2), such as 103 (Early Hints).
    ///
    /// Only Ferry's session reports them.
    func task(_ task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)

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

// Each requirement's documentation applies to its default too.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension EventMonitor {
    public func taskDidCreate(_ task: URLSessionTask) {}
    public func taskDidResume(_ task: URLSessionTask) {}
    public func taskDidSuspend(_ task: URLSessionTask) {}
    public func task(_ task: URLSessionTask, didSend byteCount: Int64, of totalByteCount: Int64?) {}
    public func task(_ task: URLSessionTask, didRedirectBy response: HTTPURLResponse, to request: URLRequest?) {}
    public func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {}
    public func task(_ task: URLSessionTask, willRetry retry: TaskMetrics.Retry) {}
    public func task(_ task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {}
    public func task(_ task: URLSessionTask, didReceive response: URLResponse) {}
    public func task(_ task: URLSessionTask, didReceive data: Data) {}
    public func task(_ task: URLSessionTask, didCompleteWith error: (any Error)?) {}
    public func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion) {}
    public func sessionDidBecomeInvalid(_ session: URLSession, error: (any Error)?) {}
}
