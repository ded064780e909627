extension Request {
    /// Returns the request with another retry policy than the manager's.
    ///
    /// - Parameter policy: The policy; nil never sends the request again by itself.
    /// - Returns: The changed request.
    public func retry(_ policy: RetryPolicy?) -> Request {
        setting { $0.recovery.retry = .some(policy) }
    }

    /// Returns the request with interceptors that are asked after the manager's.
    ///
    /// - Parameter interceptors: The interceptors, in order.
    /// - Returns: The changed request.
    public func intercepted(by interceptors: any RequestInterceptor...) -> Request {
        setting { $0.recovery.interceptors += interceptors }
    }

    /// Returns the request with a time limit for the whole call.
    ///
    /// - Parameter seconds: The seconds from the start of the task to its end, with all attempts, as
    ///   ``SessionManager/deadline``. If it is zero or negative, nothing is sent; `.infinity` is no limit.
    /// - Returns: The changed request.
    public func deadline(_ seconds: TimeInterval) -> Request {
        setting { $0.recovery.deadline = seconds }
    }
}

/// The retry policy, interceptors and deadline that a request sets for its task.
package struct RequestRecovery: Sendable {
    /// The policy; nil for the manager's, and `.some(nil)` for none.
    package var retry: RetryPolicy??
    package var interceptors: [any RequestInterceptor] = []
    package var deadline: TimeInterval?

    /// Creates a value that leaves everything to the manager.
    package init() {}

    /// Sets the properties of a task that has not been resumed.
    package func apply(to task: URLSessionTask) {
        if let retry { task.retryPolicy = retry }
        if !interceptors.isEmpty { task.interceptors += interceptors }
        if let deadline { task.deadline = deadline }
    }

    /// Returns the error of a request that a session cannot carry out; nil if it can.
    package func refusal(by session: @autoclosure () -> URLSession) -> NetworkError? {
        let isSet = retry.flatMap { $0 } != nil || !interceptors.isEmpty || deadline != nil
        guard isSet else { return nil }
        let session = session()
        return session is CurlSession ? nil : .unsupported(by: session)
    }
}
