/// Retries, interceptors, the deadline and the circuit breaker of a manager's tasks.
///
/// They require a ``CurlSession``, the default transport. With another one, a task made while one of them is set fails
/// with ``NetworkError/Code/unsupportedByTransport``.
extension SessionManager {
    /// The policy that decides which requests are sent again automatically; it is read when a task is made.
    ///
    /// With nil, the default, the policy of the transport's options applies, which by default sends no request again.
    ///
    /// ```swift
    /// manager.retryPolicy = .standard
    /// ```
    public var retryPolicy: RetryPolicy? {
        get { core.settings.withLock { $0.recovery }?.retry }
        set { core.changeRecovery { $0.retry = newValue } }
    }

    /// The interceptors that are asked before each attempt of a task and after one that has failed, in order.
    ///
    /// They are read when a task is made. If there are none, the interceptors of the transport's options are used.
    /// ``SessionManager/adapt(_:)`` changes a request once, before its task is made.
    public var interceptors: [any RequestInterceptor] {
        get { core.settings.withLock { $0.recovery }?.interceptors?.all ?? [] }
        set {
            // Not under the lock, since interceptors are user code.
            let interceptors = RequestInterceptors(newValue)
            core.changeRecovery { $0.interceptors = interceptors }
        }
    }

    /// The circuit breaker that stops requests to servers that keep failing; nil, the default, for the transport's.
    ///
    /// It is read when a task is made, and can be shared with other managers and sessions.
    public var circuitBreaker: CircuitBreaker? {
        get { core.settings.withLock { $0.recovery }?.values.circuitBreaker }
        set { core.changeRecovery { $0.circuitBreaker = newValue } }
    }

    /// The deadline, the retry policy and the circuit breaker; nil if none of them is set.
    ///
    /// ```swift
    /// manager.resilience = .standard
    /// ```
    ///
    /// Setting it replaces ``deadline``, ``retryPolicy`` and ``circuitBreaker``, which can be changed afterwards.
    /// Setting nil removes all three.
    public var resilience: Resilience? {
        get {
            guard let values = core.settings.withLock({ $0.recovery })?.values else { return nil }
            let value = Resilience(
                deadline: values.deadlineInSeconds,
                retryPolicy: values.retry,
                circuitBreaker: values.circuitBreaker
            )
            return value.isEmpty ? nil : value
        }
        set {
            core.changeRecovery { values in
                values.deadlineInSeconds = newValue?.deadline
                values.retry = newValue?.retryPolicy
                values.circuitBreaker = newValue?.circuitBreaker
            }
        }
    }

    /// The time limit, in seconds, of each task from its first `resume()` to its end; nil, the default, for the
    /// transport's, and infinity for none.
    ///
    /// It covers the wait for a connection, interceptors, and all attempts with the delays between them. A task that
    /// exceeds it fails with ``NetworkError/Code/timedOut``. With zero or a negative number, no time is left: tasks
    /// fail without sending anything. It is read when a task is made.
    public var deadline: TimeInterval? {
        get { core.settings.withLock { $0.recovery }?.values.deadlineInSeconds }
        set { core.changeRecovery { $0.deadlineInSeconds = newValue } }
    }
}

extension SessionCore {
    fileprivate func changeRecovery(_ change: (inout RecoverySettings.Values) -> Void) {
        let old = settings.withLock { settings in
            let old = settings.recovery
            let new = RecoverySettings(old, changing: change)
            settings.recovery = new.values.isEmpty ? nil : new
            return old
        }
        // An interceptor's `deinit` is user code and must run outside the lock.
        withExtendedLifetime(old) {}
    }
}

extension NetworkError {
    /// The error of a task that a session other than Ferry's cannot send again, intercept or limit.
    static func unsupported(by session: URLSession) -> NetworkError {
        NetworkError(
            .unsupportedByTransport,
            message: "Retries, interceptors, deadlines and circuit breakers need .curl, not \(type(of: session))"
        )
    }
}
