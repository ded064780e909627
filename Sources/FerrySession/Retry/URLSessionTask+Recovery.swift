extension URLSessionTask {
    /// The policy that decides whether the task sends its request again; by default, that of its session's options.
    ///
    /// Set it before the task is resumed for the first time; later changes have no effect. Tasks of other sessions have
    /// none, and setting it has no effect on them.
    public var retryPolicy: RetryPolicy? {
        get { recoverySettings?.retry }
        set {
            changeRecovery { RecoverySettings(retry: newValue, interceptors: $0?.interceptors, deadline: $0?.deadline) }
        }
    }

    /// The interceptors of the task; by default, those of its session's options.
    ///
    /// Set them before the task is resumed for the first time; later changes have no effect. Tasks of other sessions
    /// have none, and setting them has no effect on them.
    public var interceptors: [any RequestInterceptor] {
        get { recoverySettings?.interceptors?.all ?? [] }
        set {
            let interceptors = RequestInterceptors(newValue)
            changeRecovery { RecoverySettings(retry: $0?.retry, interceptors: interceptors, deadline: $0?.deadline) }
        }
    }

    /// The time limit, in seconds, for the task from its first `resume()` to its end; by default, that of its session's
    /// ``CurlSession/Options/deadline``.
    ///
    /// Set it before the task is resumed for the first time; later changes have no effect. Tasks of other sessions have
    /// none, and setting it has no effect on them.
    public var deadline: TimeInterval? {
        get { recoverySettings?.deadlineInSeconds }
        set {
            let deadline = newValue.flatMap { UInt64.nanoseconds(inSeconds: $0) }
            changeRecovery { RecoverySettings(retry: $0?.retry, interceptors: $0?.interceptors, deadline: deadline) }
        }
    }

    /// The task's own settings, or else those of its session; `nil` also for a task of another session.
    package var recoverySettings: RecoverySettings? {
        get { (self as? any CurlTask)?.core.recoverySettings }
        set { changeRecovery { _ in newValue } }
    }

    /// Sets what a manager decides for the task; what it does not decide remains as the session's options say.
    ///
    /// - Parameters:
    ///   - settings: The manager's settings; `nil` for none.
    ///   - collects: Whether the delegate collects the body and uses it at the end, so that the body can begin anew.
    package func adopt(_ settings: RecoverySettings?, delegateCollects collects: Bool) {
        guard let core = (self as? any CurlTask)?.core else { return }
        let old = core.recoverySettings
        let merged =
            old == nil
            ? settings
            : RecoverySettings(
                retry: settings?.retry ?? old?.retry,
                interceptors: settings?.interceptors ?? old?.interceptors,
                deadline: settings?.deadline ?? old?.deadline
            )
        core.state.withLock { ($0.recovery, $0.delegateCollects) = (merged, collects) }
    }

    private func changeRecovery(_ change: (RecoverySettings?) -> RecoverySettings?) {
        guard let core = (self as? any CurlTask)?.core else { return }
        let settings = change(core.recoverySettings)
        let old = core.state.withLock { state in
            defer { state.recovery = settings }
            return state.recovery
        }
        // An interceptor's `deinit` is user code and must run outside the lock.
        withExtendedLifetime(old) {}
    }
}

extension TaskCore {
    var recoverySettings: RecoverySettings? {
        let (own, session) = state.withLock { ($0.recovery, $0.session) }
        return own ?? session?.recovery
    }
}
