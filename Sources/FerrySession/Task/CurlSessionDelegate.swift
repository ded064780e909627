/// A delegate of a session or task that also receives what `URLSessionTaskDelegate` has no methods for.
///
/// All methods are called on the delegate queue. By default, those of a task's own delegate call those of the
/// session's.
public protocol CurlSessionDelegate: URLSessionTaskDelegate {
    /// Called with the metrics of a task, immediately before its completion.
    func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TaskMetrics)

    /// Called when an attempt has failed and the request is going to be sent again.
    func urlSession(_ session: CurlSession, task: URLSessionTask, willRetry retry: TaskMetrics.Retry)

    /// Called for each interim response (RFC 9110, section 15.2) before the final one, such as 103 (Early Hints).
    func urlSession(
        _ session: CurlSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    )

    /// Called when all tasks of an earlier process that a durable session has found at its creation are complete.
    ///
    /// It is not called if there were none, and only for the session's delegate. AFNetworking and URLSession:
    /// `URLSessionDidFinishEventsForBackgroundURLSession:`.
    func urlSessionDidFinishEvents(_ session: CurlSession)
}

extension CurlSessionDelegate {
    /// Calls the method of the session's delegate, if that is another one.
    public func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TaskMetrics) {
        next(session)?.urlSession(session, task: task, didFinishCollecting: metrics)
    }

    /// Calls the method of the session's delegate, if that is another one.
    public func urlSession(_ session: CurlSession, task: URLSessionTask, willRetry retry: TaskMetrics.Retry) {
        next(session)?.urlSession(session, task: task, willRetry: retry)
    }

    /// Calls the method of the session's delegate, if that is another one.
    public func urlSession(
        _ session: CurlSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        next(session)?.urlSession(session, task: task, didReceiveInformationalResponse: response)
    }

    /// Does nothing.
    public func urlSessionDidFinishEvents(_ session: CurlSession) {}

    private func next(_ session: CurlSession) -> (any CurlSessionDelegate)? {
        session.delegate === self ? nil : session.delegate as? any CurlSessionDelegate
    }
}

/// A delegate that seldom needs the object of a response, which takes longer to make than the rest of a small request.
package protocol ReceivedResponseDelegate: URLSessionDataDelegate {
    /// Called in place of `urlSession(_:dataTask:didReceive:completionHandler:)`.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: ReceivedResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    )
}
