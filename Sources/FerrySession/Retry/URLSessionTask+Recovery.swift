extension URLSessionTask {
    /// The policy that decides whether the task sends its request again; by default, that of its session's options.
    ///
    /// Set it before the task is resumed for the first time; later changes have no effect. Tasks of other sessions have
    /// none, and setting it has no effect on them.
    public var retryPolicy: RetryPolicy? {
        get { recoverySettings?.retry }
        set { changeRecovery { $0.retry = newValue } }
    }

    /// The interceptors of the task; by default, those of its session's options.
    ///
    /// Set them before the task is resumed for the first time; later changes have no effect. The task retains them even
    /// after its end. Tasks of other sessions have none, and setting them has no effect on them.
    public var interceptors: [any RequestInterceptor] {
        get { recoverySettings?.interceptors?.all ?? [] }
        set {
            // Not under a lock, since interceptors are user code.
            let interceptors = RequestInterceptors(newValue)
            changeRecovery { $0.interceptors = interceptors }
        }
    }

    /// The time limit, in seconds, for the task from its first `resume()` to its end; by default, that of its session's
    /// ``CurlSession/Options/deadline``.
    ///
    /// With zero or a negative number, no time is left: the task fails without sending anything. Infinity sets no
    /// limit. Set it before the task is resumed for the first time; later changes have no effect. Tasks of other
    /// sessions have none, and setting it has no effect on them.
    public var deadline: TimeInterval? {
        get { recoverySettings?.values.deadlineInSeconds }
        set { changeRecovery { $0.deadlineInSeconds = newValue } }
    }

    /// The circuit breaker that decides whether the task's requests are sent; by default, that of its session.
    ///
    /// Set it before the task is resumed for the first time; later changes have no effect. Tasks of other sessions have
    /// none, and setting it has no effect on them.
    public var circuitBreaker: CircuitBreaker? {
        get { recoverySettings?.circuitBreaker }
        set { changeRecovery { $0.circuitBreaker = newValue } }
    }

    /// Sets the manager's settings for the task; where it has none, those of the session's options apply.
    ///
    /// A delegate that collects the body uses it at the end, so that the body can start again.
    package func adopt(_ settings: RecoverySettings?, delegateCollects collects: Bool) {
        (self as? any CurlTask)?.core.state.withLock { state in
            state.delegateCollects = collects
            let recovery = state.sessionCore?.settings.recovery
            state.recovery = recovery.map { RecoverySettings(settings, orElse: $0) } ?? settings
        }
    }

    /// Whether the task is one of a ``CurlSession`` that has not completed and reports its end to the session's
    /// delegate: it has no handler, and no delegate of its own that receives its body.
    package var willReportToSessionDelegate: Bool {
        (self as? any CurlTask)?.core.state.withLock { state in
            state.lifecycle != .completed && state.resultDelivery.isDelegate
                && state.ownDelegate?.leavesBody(ofDownload: state.isDownload) ?? true
        } ?? false
    }

    private var recoverySettings: RecoverySettings? { (self as? any CurlTask)?.core.recoverySettings }

    private func changeRecovery(_ change: (inout RecoverySettings.Values) -> Void) {
        let old = (self as? any CurlTask)?.core.state.withLock { state in
            let old = state.recovery
            state.recovery = RecoverySettings(old ?? state.sessionCore?.settings.recovery, changing: change)
            return old
        }
        // An interceptor's `deinit` is user code and must run outside the lock.
        withExtendedLifetime(old) {}
    }
}

extension TaskCore {
    /// The task's own settings, or else those of its session.
    var recoverySettings: RecoverySettings? { state.withLock { $0.recovery ?? $0.sessionCore?.settings.recovery } }
}
