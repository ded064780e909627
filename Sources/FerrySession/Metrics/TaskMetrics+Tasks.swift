/// A task delegate that receives the metrics of a call, right before its completion.
public protocol CurlSessionMetricsDelegate: URLSessionTaskDelegate {
    /// Called when the call has ended, on the delegate queue.
    func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TaskMetrics)
}

extension TaskMetrics.Retry {
    /// Describes an attempt that has failed.
    init(_ failure: Attempts.Failure, number: Int, _ next: PendingRetry) {
        let (response, error) = (failure.cause.response, failure.cause.error)
        self.init(
            attempt: number,
            date: Date.current,
            message: response.map { "The server responded with \($0.statusCode)" } ?? error?.localizedDescription ?? "",
            origin: next.origin,
            delay: next.delay
        )
        (statusCode, errorCode, continuesBody) = (response?.statusCode, error?.code, next.start == .rest)
    }
}

/// A task delegate that is called for each attempt that has failed and is followed by another one.
public protocol CurlSessionRetryDelegate: URLSessionTaskDelegate {
    /// Called when an attempt has failed and the request is going to be sent again, on the delegate queue.
    func urlSession(_ session: CurlSession, task: URLSessionTask, willRetry retry: TaskMetrics.Retry)
}

/// A task delegate that receives interim responses (RFC 9110, section 15.2), such as 103 (Early Hints).
public protocol CurlSessionInterimResponseDelegate: URLSessionTaskDelegate {
    /// Called for each response with a status of 100 to 199, before the final one, on the delegate queue.
    func urlSession(
        _ session: CurlSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    )
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

extension URLSessionTask {
    /// The measurements of the task so far, for a task of ``CurlSession``; `nil` for any other task.
    ///
    /// It can be read on any thread.
    public var metrics: TaskMetrics? { (self as? any CurlTask)?.core.state.withLock { $0.metrics } }

    /// The last request, the response and the measurements, which only a task of ``CurlSession`` has.
    package typealias FinalState = (request: URLRequest?, response: ReceivedResponse?, metrics: TaskMetrics?)

    /// The state at the end, which a task of ``CurlSession`` reads under one lock.
    package var finalState: FinalState {
        guard let core = (self as? any CurlTask)?.core else {
            return (currentRequest ?? originalRequest, response.map { ReceivedResponse($0) }, nil)
        }
        let (current, original, response, metrics) = core.state.withLock { state in
            (state.currentRequest, state.originalRequest, state.response, state.metrics)
        }
        return (current?.complete ?? original, response, metrics)
    }
}
