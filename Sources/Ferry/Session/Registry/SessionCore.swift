import FerrySession

/// The part of a manager that may outlive it: the sessions, the task delegates and the settings.
///
/// The session's delegate retains it, so that tasks complete after the manager has been released.
final class SessionCore: Sendable {
    let configuration: URLSessionConfiguration
    let operationQueue: OperationQueue
    let registry = TaskDelegateRegistry()
    let settings = Mutex(ManagerSettings())
    let notifications = NotificationPoster()
    /// The manager's reachability, made when it is first read.
    let reachability = Mutex<ReachabilityManager?>(nil)
    /// The host that the manager's requests go to, if there is a base URL.
    let reachabilityTarget = Mutex<ReachabilityTarget?>(nil)
    /// The managers of operations with other policies.
    let policyManagers = Mutex<[SecurityPolicy: WeakManager]>([:])
    let transport: SessionTransport
    private let sessions = Mutex(SessionTable())
    /// Held while a policy is applied to the sessions, so that the latest policy is applied last, also to a new session.
    private let policyHandover = Mutex(false)

    init(
        configuration: URLSessionConfiguration,
        transport: SessionTransport,
        operationQueue: OperationQueue = ManagerQueues.makeOperationQueue()
    ) {
        self.operationQueue = operationQueue
        // A configuration is a class: a later change by the caller must not affect the next session.
        self.configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        self.transport = transport
    }

    var hookTable: HookTable { settings.withLock { $0.hookTable } }
    var monitor: CompositeEventMonitor { settings.withLock { $0.monitor } }

    // MARK: - Sessions

    /// The current session.
    var session: URLSession {
        if let session = sessions.withLock({ $0.session }) { return session }
        let generation = sessions.withLock { $0.reserveGeneration() }
        let delegate = SessionDelegate(core: self, generation: generation)
        let made = transport.makeSession(configuration, delegate, operationQueue)
        (made as? CurlSession)?.taskObserver = delegate
        // Together, so that no task is made under an earlier policy than one that is set in the meantime.
        let (isCurrent, old) = policyHandover.withLock { _ in
            let old = made.apply(settings.withLock { $0.securityPolicy })
            return (sessions.withLock { $0.adopt(made, generation: generation) }, old)
        }
        withExtendedLifetime(old) {}
        guard isCurrent else {
            made.invalidateAndCancel()
            return sessions.withLock { $0.session } ?? made
        }
        return made
    }

    /// Applies a policy to all sessions, including those made later.
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
            return sessions.withLock { $0.all }.map { session in (session, session.apply(policy)) }
        }
        withExtendedLifetime(released) {}
    }

    /// Returns the error for a session that cannot enforce the policy, or cannot send requests again; nil if it can.
    private func refusal(of session: URLSession) -> NetworkError? {
        if session is CurlSession { return nil }
        let (policy, recovery) = settings.withLock { ($0.securityPolicy, $0.recovery) }
        if recovery != nil { return .unsupported(by: session) }
        return policy.isDefault ? nil : .unenforceable(by: "\(type(of: session))")
    }

    /// Invalidates the current session; if `resetting`, the next task gets a new one.
    func invalidate(_ invalidation: SessionTable.Invalidation, resetting: Bool) {
        let step = sessions.withLock { $0.invalidate(invalidation, resetting: resetting) }
        if case .invalidate(let session) = step { return session.invalidate(invalidation) }
        guard invalidation == .cancelling else { return }
        // No session is left to invalidate now, usually because it is finishing already: cancel the remaining tasks.
        if !resetting {
            for task in registry.tasks { task.cancel() }
        } else if case .cancelTasks(let generation, _) = step {
            for task in registry.tasks(generation: generation) { task.cancel() }
        }
    }

    /// Releases the sessions when the manager is released; tasks that run still complete.
    func abandon() {
        let session = sessions.withLock { $0.abandon() }
        registry.releaseTasks()
        // Only its tasks retain a session: it is released with the last of them, whether resumed or not.
        withExtendedLifetime(session) {}
    }

    /// Handles the end of a session; its tasks that have not completed fail.
    ///
    /// That of a session which another thread has made in vain is not reported.
    func sessionDidBecomeInvalid(_ session: URLSession, generation: Int, error: (any Error)?) {
        guard sessions.withLock({ $0.didInvalidate(generation: generation) }) else { return }
        for (task, delegate) in registry.removeAll(generation: generation) {
            delegate.finish(task, error: error ?? NetworkError.sessionInvalidated(task.originalRequest))
        }
        hookTable.hooks.sessionDidBecomeInvalid?(session, error)
        monitor.sessionDidBecomeInvalid(session, error: error)
        notifications.post(.sessionDidInvalidate, object: session)
    }

    // MARK: - Tasks

    /// Makes a task as below; if the request was refused, a task of the same kind takes its place.
    func makeTask<Task: URLSessionTask>(
        _ delegate: TaskDelegate,
        refusal: NetworkError? = nil,
        request: URLRequest,
        make: (URLSession) -> Task
    ) -> Task {
        makeTask(delegate, refusal: refusal, request: request, make: make, makeRefused: make)
    }

    /// Makes a task and registers its delegate before the task can be resumed.
    ///
    /// If the request was refused or the session is invalid, the task fails on the delegate queue; the caller gets a
    /// real but cancelled task in its place.
    func makeTask<Task: URLSessionTask>(
        _ delegate: TaskDelegate,
        refusal: NetworkError?,
        request: URLRequest?,
        make: (URLSession) -> Task,
        makeRefused: (URLSession) -> Task
    ) -> Task {
        // Before the session makes its task, since the first child takes all pending units of the parent.
        delegate.joinCurrentProgress(isUpload: Task.self is URLSessionUploadTask.Type)
        guard refusal == nil, let lease = lease() else {
            return refuse(delegate, with: refusal ?? .sessionInvalidated(request), makeRefused)
        }
        if let refusal = self.refusal(of: lease.session) {
            end(lease)
            return refuse(delegate, with: refusal, makeRefused)
        }
        registry.willRegister()
        let task = make(lease.session)
        task.adopt(settings.withLock { $0.recovery }, delegateCollects: delegate.collectsBody)
        delegate.attach(to: task)
        let key = TaskKey(generation: lease.generation, identifier: task.taskIdentifier)
        let registration = registry.register(task, delegate: delegate, at: key)
        end(lease)
        if case .alreadyEnded(let error) = registration {
            end(task, delegate, with: error ?? NetworkError.sessionInvalidated(request))
        }
        monitor.taskDidCreate(task)
        return task
    }

    /// Takes the current session, which is made if necessary; nil if the manager is closed or the session invalid.
    private func lease() -> SessionTable.Lease? {
        while sessions.withLock({ $0.needsSession && !$0.isClosed }) {
            _ = session
            // A reset on another thread may have removed it again.
            if let lease = sessions.withLock({ $0.lease() }) { return lease }
        }
        return sessions.withLock { $0.lease() }
    }

    /// Returns the delegate of a task of this manager; nil once the task has ended.
    func delegate(of task: URLSessionTask) -> TaskDelegate? {
        registry.delegate(of: task, generations: sessions.withLock { $0.generations })
    }

    /// Notifies monitors and observers that a task was resumed, unless it was running already.
    func noteResumed(_ task: URLSessionTask) {
        if post(.networkingTaskDidResume, of: task, isRunning: true) { monitor.taskDidResume(task) }
    }

    /// Notifies monitors and observers that a task was suspended, unless it was not running.
    func noteSuspended(_ task: URLSessionTask) {
        if post(.networkingTaskDidSuspend, of: task, isRunning: false) { monitor.taskDidSuspend(task) }
    }

    /// Records that a task was resumed or suspended, and posts a notification; returns false if nothing changes.
    ///
    /// The notification precedes that of the task's end, which a monitor or another thread may cause at once.
    private func post(_ name: Notification.Name, of task: URLSessionTask, isRunning: Bool) -> Bool {
        guard let delegate = delegate(of: task),
            let addition = delegate.noteRunning(isRunning, { notifications.add(name, object: task) })
        else { return false }
        notifications.finish(addition)
        return true
    }

    private func refuse<Task: URLSessionTask>(
        _ delegate: TaskDelegate,
        with refusal: NetworkError,
        _ make: (URLSession) -> Task
    ) -> Task {
        let task = make(URLSession.refusals)
        task.cancel()
        end(task, delegate, with: refusal)
        return task
    }

    private func end(_ lease: SessionTable.Lease) {
        if let invalidation = sessions.withLock({ $0.end(lease) }) { lease.session.invalidate(invalidation) }
    }

    private func end(_ task: URLSessionTask, _ delegate: TaskDelegate, with error: any Error) {
        operationQueue.deliver { delegate.finish(task, error: error) }
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

    /// Invalidates the session.
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
        NetworkError(.sessionInvalidated, message: "The session has been invalidated", failingURL: request?.url)
    }
}
