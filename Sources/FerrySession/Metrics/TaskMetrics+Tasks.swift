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
