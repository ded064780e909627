/// The part of a manager that may outlive it: the sessions, the task delegates and the settings.
///
/// The session's delegate retains it, so that tasks complete after the manager has been released.
final class SessionCore: Sendable {
    let configuration: URLSessionConfiguration
    let operationQueue: OperationQueue
    let settings = Mutex(ManagerSettings())
    let notifications = NotificationPoster()
    /// The manager's reachability, made when it is first read.
    let reachability = Mutex<ReachabilityManager?>(nil)
    /// The host that the manager's requests go to, if there is a base URL.
    let reachabilityTarget = Mutex<ReachabilityTarget?>(nil)
    /// The managers of operations with other policies.
    let policyManagers = Mutex<[SecurityPolicy: WeakManager]>([:])
    let transport: SessionTransport
    /// The number of bytes of a body that a task collects, unless its serializer has a limit.
    let maximumBodySize: Int
    let state = Mutex(State())
    /// Held while a policy is applied to the sessions, so that the latest policy is applied last, also to a new
    /// session.
    private let policyHandover = Mutex(false)

    /// The state that a new task and each event read together.
    struct State: Sendable {
        var sessions = SessionTable()
        var registry = TaskDelegateRegistry()
        var observers = Observers()
    }

    init(
        configuration: URLSessionConfiguration,
        transport: SessionTransport,
        operationQueue: OperationQueue = ManagerQueues.makeOperationQueue()
    ) {
        self.operationQueue = operationQueue
        // A configuration is a class: a later change by the caller must not affect the next session.
        self.configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        self.transport = transport
        let options = if case .curl(let options) = transport { options } else { CurlSession.Options() }
        maximumBodySize = max(0, options.maximumBodySizeInMemory)
    }

    /// The hooks and monitors as they are now.
    var observers: Observers { state.withLock { $0.observers } }

    /// Replaces the hooks or the monitors; `change` calls no code of the user.
    func changeObservers(_ change: (Observers) -> Observers) {
        let old = state.withLock { state in
            let old = state.observers
            state.observers = change(old)
            return old
        }
        // They are closures and objects of the user, whose `deinit` must not run under the lock.
        withExtendedLifetime(old) {}
    }

    // MARK: - Sessions

    var session: URLSession {
        if let session = state.withLock({ $0.sessions.session }) { return session }
        let generation = state.withLock { $0.sessions.reserveGeneration() }
        let delegate = SessionDelegate(core: self, generation: generation)
        let made = transport.makeSession(configuration, delegate, operationQueue)
        (made as? CurlSession)?.taskObserver = delegate
        // Under one lock, so that the new session also gets a policy that is set at the same time.
        let (isCurrent, old) = policyHandover.withLock { _ in
            let old = made.apply(settings.withLock { $0.securityPolicy })
            return (state.withLock { $0.sessions.adopt(made, generation: generation) }, old)
        }
        withExtendedLifetime(old) {}
        guard isCurrent else {
            made.invalidateAndCancel()
            return state.withLock { $0.sessions.session } ?? made
        }
        for task in (made as? CurlSession)?.earlierTasks ?? [] {
            adopt(task, at: TaskKey(generation: generation, identifier: task.taskIdentifier), isEarlier: true)
        }
        return made
    }

    /// Applies a policy to all sessions, including those made later.
    func setSecurityPolicy(_ policy: SecurityPolicy) throws(NetworkError) {
        try policy.validate()
        if !policy.isDefault {
            switch transport {
            case .curl: break
            case .system: throw .unenforceable(by: "the system's session")
            case .session: if !(session is CurlSession) { throw .unenforceable(by: "\(type(of: session))") }
            }
        }
        settings.withLock { $0.securityPolicy = policy }
        handPolicyOver()
    }

    /// Copies the settings that a copy of a manager shares with its original, and applies the policy.
    func takeSettings(of original: SessionCore) {
        let settings = original.settings.withLock { $0 }
        let old = self.settings.withLock { $0.take(settings) }
        withExtendedLifetime(old) { handPolicyOver() }
    }

    private func handPolicyOver() {
        // Sessions and their policies may be objects of the user, whose `deinit` must not run under the lock.
        let released = policyHandover.withLock { _ in
            let policy = settings.withLock { $0.securityPolicy }
            return state.withLock { $0.sessions.all }.map { session in (session, session.apply(policy)) }
        }
        withExtendedLifetime(released) {}
    }

    /// Whether the manager makes no further task.
    var isClosed: Bool { state.withLock { $0.sessions.isClosed } }

    /// Invalidates the current session; if `resetting`, the next task gets a new one.
    func invalidate(_ invalidation: SessionTable.Invalidation, resetting: Bool) {
        // A session is made, so that the end of a manager without one is reported too. The session of a durable manager
        // would have tasks of an earlier process.
        if !resetting, !isClosed, !transport.isDurable { _ = session }
        let step = state.withLock { $0.sessions.invalidate(invalidation, resetting: resetting) }
        if case .invalidate(let session) = step { return session.invalidate(invalidation) }
        guard invalidation == .cancelling else { return }
        // No session is left to invalidate now, usually because it is finishing already: cancel the remaining tasks.
        if !resetting {
            for task in tasks { task.cancel() }
        } else if case .cancelTasks(let generation, _) = step {
            for task in state.withLock({ $0.registry.tasks(generation: generation) }) { task.cancel() }
        }
    }

    /// Releases the sessions when the manager is released; tasks that run still complete.
    func abandon() {
        // Only its running tasks retain a session: it is released with the last of them.
        let released = state.withLock { ($0.sessions.abandon(), $0.registry.releaseTasks()) }
        withExtendedLifetime(released) {}
    }

    /// Handles the end of a session; its tasks that have not completed fail.
    ///
    /// The end of a surplus session, which another thread has made at the same time, is not reported.
    func sessionDidBecomeInvalid(_ session: URLSession, generation: Int, error: (any Error)?) {
        let end = state.withLock { state -> ([TaskDelegateRegistry.Entry], Observers)? in
            guard state.sessions.didInvalidate(generation: generation) else { return nil }
            return (state.registry.removeAll(generation: generation), state.observers)
        }
        guard let (entries, observers) = end else { return }
        for entry in entries {
            guard let task = entry.task else { continue }
            let error = error ?? NetworkError.sessionInvalidated(task.originalRequest)
            entry.delegate.finish(task, error: error, observers)
        }
        observers.hooks.sessionDidBecomeInvalid?(session, error)
        observers.notify { $0.sessionDidBecomeInvalid(session, error: error) }
        notifications.post(.sessionDidInvalidate, object: session)
    }
}

extension URLSession {
    /// Sets the session's trust policy, unless it is the same already, and returns the old one.
    fileprivate func apply(_ policy: SecurityPolicy) -> (any ServerTrustPolicy)? {
        guard let session = self as? CurlSession else { return nil }
        let policy = policy.isDefault ? nil : policy
        let old = session.trustPolicy
        if old as? SecurityPolicy != policy { session.trustPolicy = policy }
        return old
    }

    func invalidate(_ invalidation: SessionTable.Invalidation) {
        switch invalidation {
        case .cancelling: invalidateAndCancel()
        case .finishing: finishTasksAndInvalidate()
        }
    }
}
