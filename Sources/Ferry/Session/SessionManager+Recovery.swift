import FerrySession

/// Retries, interceptors and the deadline of a manager's tasks.
///
/// They require a ``CurlSession``, the default transport. With another one, a task made while one of them is set fails
/// with ``NetworkError/Code/unsupportedByTransport``.
extension SessionManager {
    /// The policy that decides which requests are sent again by themselves; it is read when a task is made.
    ///
    /// The default, nil, uses that of the transport's options, which is to send no request again.
    ///
    /// ```swift
    /// manager.retryPolicy = .standard
    /// ```
    public var retryPolicy: RetryPolicy? {
        get { core.settings.withLock { $0.recovery }?.retry }
        set { core.changeRecovery { .make(retry: newValue, interceptors: $0.all, deadline: $0.deadline) } }
    }

    /// The interceptors that are asked before each attempt of a task and after one that has failed, in order.
    ///
    /// They are read when a task is made, and are asked after the ``adapters``, which change a request once. If there
    /// are none, those of the transport's options are asked.
    public var interceptors: [any RequestInterceptor] {
        get { core.settings.withLock { $0.recovery }?.interceptors?.all ?? [] }
        set { core.changeRecovery { .make(retry: $0.retry, interceptors: newValue, deadline: $0.deadline) } }
    }

    /// The time limit, in seconds, of each task from its first `resume()` to its end; nil, the default, for the
    /// transport's.
    ///
    /// It covers the wait for a connection, interceptors, and all attempts with the delays between them. A task that
    /// exceeds it fails with ``NetworkError/Code/timedOut``. It is read when a task is made.
    public var deadline: TimeInterval? {
        get { core.settings.withLock { $0.recovery }?.deadlineInSeconds }
        set { core.changeRecovery { .make(retry: $0.retry, interceptors: $0.all, deadline: newValue) } }
    }
}

extension SessionCore {
    /// The values that the settings of tasks are made of.
    fileprivate struct RecoveryValues {
        var retry: RetryPolicy?
        var all: [any RequestInterceptor] = []
        var deadline: TimeInterval?
    }

    fileprivate func changeRecovery(_ change: (RecoveryValues) -> RecoverySettings?) {
        let old = settings.withLock { $0.recovery }
        let values = RecoveryValues(
            retry: old?.retry,
            all: old?.interceptors?.all ?? [],
            deadline: old?.deadlineInSeconds
        )
        // Interceptors are user code, which must not run under the lock.
        let recovery = change(values)
        settings.withLock { $0.recovery = recovery }
        withExtendedLifetime(old) {}
    }
}

extension NetworkError {
    /// The error of a task that a session other than Ferry's cannot send again, intercept or limit.
    static func unsupported(by session: URLSession) -> NetworkError {
        NetworkError(
            .unsupportedByTransport,
            message: "Retries, interceptors and deadlines are not supported by \(type(of: session)): use .curl"
        )
    }
}
