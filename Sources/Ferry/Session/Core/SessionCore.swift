import FerrySession

/// What a manager is made of, apart from its public face: the sessions, the task delegates, the settings.
///
/// The session's delegate holds it, so that tasks complete when the manager has gone.
final class SessionCore: Sendable {
    let configuration: URLSessionConfiguration
    let operationQueue = ManagerQueues.makeOperationQueue()
    let registry = TaskDelegateRegistry()
    let settings: Locked<SessionSettings>
    let notifications = NotificationPoster()
    /// The manager's reachability, made when it is first asked for.
    let reachability = Locked<ReachabilityManager?>(nil)
    /// What the manager's requests go to, where that is known.
    let reachabilityTarget = Locked<ReachabilityTarget?>(nil)
    let transport: SessionTransport
    private let sessions = Locked(SessionTable())
    /// Held while a policy is handed to the sessions, so that the latest one is the last they get.
    private let policyHandover = Locked(false)

    /// Makes a core; its session is made when it is first needed.
    init(
        configuration: URLSessionConfiguration,
        transport: SessionTransport,
        responseSerializer: any ValidatingResponseSerializer
    ) {
        // A configuration is a class: a later change by its owner must not reach the next session.
        self.configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        self.transport = transport
        settings = Locked(SessionSettings(responseSerializer: responseSerializer))
    }

    /// The hooks as they are set now.
    var hookTable: HookTable { settings.withLock { $0.hookTable } }

    /// The event monitors as they are set now.
    var monitor: CompositeEventMonitor { settings.withLock { $0.monitor } }

    // MARK: - Sessions

    /// The current session.
    var session: URLSession {
        if let session = sessions.withLock({ $0.session }) { return session }
        let generation = sessions.withLock { $0.reserveGeneration() }
        let delegate = SessionDelegate(core: self, generation: generation)
        let made = transport.makeSession(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: operationQueue
        )
        (made as? CurlSession)?.taskObserver = delegate
        made.apply(settings.withLock { $0.securityPolicy })
        let isCurrent = sessions.withLock { $0.adopt(made, generation: generation) }
        // A policy that was set meanwhile did not know of this session.
        if isCurrent { handPolicyOver() }
        if isCurrent { return made }
        made.invalidateAndCancel()
        return sessions.withLock { $0.session } ?? made
    }

    /// Holds the sessions, and those made later, to a policy.
    func setSecurityPolicy(_ policy: SecurityPolicy) throws(NetworkError) {
        try policy.validate()
        if !policy.isDefault {
            guard transport.enforcesPolicies != false else { throw .unenforceable(by: "the system's session") }
            if transport.enforcesPolicies == nil, !(session is CurlSession) {
                throw .unenforceable(by: "\(type(of: session))")
            }
        }
        settings.withLock { $0.securityPolicy = policy }
        handPolicyOver()
    }

    /// Takes over what a copy has of its original; the policy holds for the session that is there already as well.
    func takeSettings(of original: SessionCore) {
        let settings = original.settings.withLock { $0 }
        self.settings.withLock { $0.take(settings) }
        handPolicyOver()
    }

    private func handPolicyOver() {
        policyHandover.withLock { _ in
            let policy = settings.withLock { $0.securityPolicy }
            for session in sessions.withLock({ $0.all }) { session.apply(policy) }
        }
    }

    /// Why a session must not be used, if it cannot be held to the policy.
    private func refusal(of session: URLSession) -> NetworkError? {
        guard !(session is CurlSession), !settings.withLock({ $0.securityPolicy }).isDefault else { return nil }
        return .unenforceable(by: "\(type(of: session))")
    }

    /// Ends the current session, and lets the next task have a new one if `resetting`.
    func invalidate(_ invalidation: SessionTable.Invalidation, resetting: Bool) {
        let session = sessions.withLock { $0.invalidate(invalidation, resetting: resetting) }
        if let session { return session.invalidate(invalidation) }
        // The session is finishing already: what is left to do for it is to hurry.
        if invalidation == .cancelling, !resetting { for task in registry.tasks { task.cancel() } }
    }

    /// Lets the tasks finish and the session go after them, when the manager goes.
    func abandon() {
        let session = sessions.withLock { $0.abandon() }
        registry.releaseTasks()
        // On Linux a session is kept by its tasks alone: it goes with the last of them, be it resumed yet or not.
        #if !os(Linux)
        session?.finishTasksAndInvalidate()
        #else
        withExtendedLifetime(session) {}
        #endif
    }

    /// Takes note that a session has become invalid; tasks it left behind fail.
    func sessionDidBecomeInvalid(_ session: URLSession, generation: Int, error: (any Error)?) {
        sessions.withLock { $0.didInvalidate(generation: generation) }
        for (task, delegate) in registry.removeAll(generation: generation) {
            delegate.finish(task, error: error ?? NetworkError.sessionInvalidated(task.originalRequest))
        }
        hookTable.hooks.sessionDidBecomeInvalid?(session, error)
        monitor.sessionDidBecomeInvalid(session, error: error)
        notifications.post(.sessionDidInvalidate, object: session)
    }

    // MARK: - Tasks

    /// Makes a task and registers its delegate before anyone can resume it.
    ///
    /// A task that must not be made, since the request was refused or the session is invalid, fails on the delegate
    /// queue; a genuine but cancelled task stands for it.
    func makeTask<Task: URLSessionTask>(
        _ delegate: TaskDelegate,
        refusal: NetworkError?,
        request: URLRequest?,
        make: (URLSession) -> Task,
        makeRefused: (URLSession) -> Task
    ) -> Task {
        // Before the session makes its task: the first child takes all pending units of the parent.
        delegate.joinCurrentProgress(isUpload: Task.self is URLSessionUploadTask.Type)
        if sessions.withLock({ $0.needsSession && !$0.isClosed }) { _ = session }
        guard refusal == nil, let lease = sessions.withLock({ $0.lease() }) else {
            return refuse(delegate, with: refusal ?? .sessionInvalidated(request), makeRefused)
        }
        if let refusal = self.refusal(of: lease.session) {
            if let invalidation = sessions.withLock({ $0.end(lease) }) { lease.session.invalidate(invalidation) }
            return refuse(delegate, with: refusal, makeRefused)
        }
        registry.willRegister()
        let task = make(lease.session)
        delegate.attach(to: task)
        let key = TaskKey(generation: lease.generation, identifier: task.taskIdentifier)
        let registration = registry.register(task, delegate: delegate, at: key)
        if let invalidation = sessions.withLock({ $0.end(lease) }) { lease.session.invalidate(invalidation) }
        if case .alreadyEnded(let error) = registration {
            end(task, delegate, with: error ?? NetworkError.sessionInvalidated(request))
        }
        monitor.taskDidCreate(task)
        return task
    }

    /// The delegate of a task of this manager that has not ended.
    func delegate(of task: URLSessionTask) -> TaskDelegate? {
        registry.delegate(of: task, generations: sessions.withLock { $0.generations })
    }

    /// Tells everyone that a task runs, if that is a change.
    func noteResumed(_ task: URLSessionTask) {
        guard delegate(of: task)?.noteRunning(true) == true else { return }
        monitor.taskDidResume(task)
        notifications.post(.networkingTaskDidResume, object: task)
    }

    /// Tells everyone that a task is suspended, if that is a change.
    func noteSuspended(_ task: URLSessionTask) {
        guard delegate(of: task)?.noteRunning(false) == true else { return }
        monitor.taskDidSuspend(task)
        notifications.post(.networkingTaskDidSuspend, object: task)
    }

    private func refuse<Task: URLSessionTask>(
        _ delegate: TaskDelegate,
        with refusal: NetworkError,
        _ makeRefused: (URLSession) -> Task
    ) -> Task {
        let task = makeRefused(URLSession.refusals)
        task.cancel()
        end(task, delegate, with: refusal)
        return task
    }

    private func end(_ task: URLSessionTask, _ delegate: TaskDelegate, with error: any Error) {
        operationQueue.addOperation { delegate.finish(task, error: error) }
    }
}

extension URLSession {
    /// Holds the session to a policy, unless it is already.
    fileprivate func apply(_ policy: SecurityPolicy) {
        guard let session = self as? CurlSession else { return }
        let policy = policy.isDefault ? nil : policy
        guard session.trustPolicy as? SecurityPolicy != policy else { return }
        session.trustPolicy = policy
    }

    /// Ends the session.
    fileprivate func invalidate(_ invalidation: SessionTable.Invalidation) {
        switch invalidation {
        case .cancelling: invalidateAndCancel()
        case .finishing: finishTasksAndInvalidate()
        }
    }
}

extension NetworkError {
    /// The error of a task whose session is invalid.
    static func sessionInvalidated(_ request: URLRequest?) -> NetworkError {
        NetworkError(
            .sessionInvalidated,
            message: "The session has been invalidated",
            failingURL: request?.url
        )
    }
}
