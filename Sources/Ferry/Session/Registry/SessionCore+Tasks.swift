/// Makes tasks, and registers their delegates.
extension SessionCore {
    /// Makes a task and registers its delegate before the task can be resumed.
    ///
    /// If the request was refused or the session is invalid, the task fails on the delegate queue; the caller gets a
    /// real but cancelled task in its place, which `makeRefused` makes, or else `make`.
    func makeTask<Task: URLSessionTask>(
        _ delegate: TaskDelegate,
        refusal: NetworkError? = nil,
        request: URLRequest?,
        make: @escaping (URLSession) -> Task,
        makeRefused: ((URLSession) -> Task)? = nil
    ) -> Task {
        // Before the session makes its task, since the first child takes all pending units of the parent.
        let joined = delegate.joinCurrentProgress(isUpload: Task.self is URLSessionUploadTask.Type)
        guard refusal == nil, let lease = lease() else {
            return refuse(delegate, with: refusal ?? .sessionInvalidated(request), makeRefused ?? make)
        }
        if let refusal = self.refusal(of: lease.session, delegate.recovery) {
            end(lease)
            return refuse(delegate, with: refusal, makeRefused ?? make)
        }
        let task = make(lease.session)
        task.adopt(delegate.recovery, delegateCollects: delegate.collectsBody)
        joined?.attach(to: task)
        let key = TaskKey(generation: lease.generation, identifier: task.taskIdentifier)
        let (earlyEnd, invalidation, observers) = state.withLock { state in
            let earlyEnd = state.registry.register(task, delegate: delegate, at: key)
            return (earlyEnd, state.sessions.end(lease), state.observers)
        }
        if let invalidation { lease.session.invalidate(invalidation) }
        if let earlyEnd { end(task, delegate, with: earlyEnd.error ?? NetworkError.sessionInvalidated(request)) }
        observers.notify { $0.taskDidCreate(task) }
        return task
    }

    /// Registers a task that was made in the session itself and is resumed, unless it is registered or has ended.
    ///
    /// It has no closures, but it is among the manager's tasks, and is reported like them. A downloaded file that no
    /// hook takes is removed. A task of an earlier process has not begun, and gets the manager's interceptors and retry
    /// policy.
    func adopt(_ task: URLSessionTask, at key: TaskKey, isEarlier: Bool = false) {
        // Announced before the task is queried, so that its end is not missed: a suspended task may end at any time.
        state.withLock { $0.registry.willRegister() }
        guard task.willReportToSessionDelegate else { return state.withLock { $0.registry.cancelRegistration() } }
        let serializer = UntypedResponseSerializer(base: settings.withLock { $0.responseSerializer })
        let delegate =
            task is URLSessionDownloadTask
            ? makeDownloadDelegate(serializer: serializer, progress: nil, destination: nil) { _ in }
            : makeDelegate(serializer: serializer) { _ in }
        let (isNew, observers) = state.withLock { state in
            (state.registry.registerIfUnknown(task, delegate: delegate, at: key), state.observers)
        }
        guard isEarlier, isNew else { return }
        task.adopt(delegate.recovery, delegateCollects: delegate.collectsBody)
        observers.notify { $0.taskDidCreate(task) }
    }

    /// Leases the current session, which is made if necessary, and announces that a task will be registered; returns
    /// nil if the manager is closed or the session invalid.
    private func lease() -> SessionTable.Lease? {
        while true {
            let (lease, needsSession) = state.withLock { state in
                let lease = state.sessions.lease()
                if lease != nil { state.registry.willRegister() }
                return (lease, state.sessions.needsSession && !state.sessions.isClosed)
            }
            guard lease == nil, needsSession else { return lease }
            // A reset on another thread may remove it again.
            _ = session
        }
    }

    /// The tasks that have not ended, in the order they were made.
    var tasks: [URLSessionTask] {
        // The tasks of an earlier process are known once the session is made.
        if transport.isDurable { _ = session }
        return state.withLock { $0.registry.tasks() }
    }

    /// Returns the delegate of a task of this manager; nil once the task has ended.
    func delegate(of task: URLSessionTask) -> TaskDelegate? {
        state.withLock { $0.registry.delegate(of: task, generations: $0.sessions.generations) }
    }

    /// Returns the error for a session that cannot enforce the policy, or cannot send requests again; nil if it can.
    private func refusal(of session: URLSession, _ recovery: RecoverySettings?) -> NetworkError? {
        if session is CurlSession { return nil }
        if recovery != nil { return .unsupported(by: session) }
        return settings.withLock { $0.securityPolicy.isDefault } ? nil : .unenforceable(by: "\(type(of: session))")
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
        let invalidation = state.withLock { state in
            state.registry.cancelRegistration()
            return state.sessions.end(lease)
        }
        if let invalidation { lease.session.invalidate(invalidation) }
    }

    private func end(_ task: URLSessionTask, _ delegate: TaskDelegate, with error: any Error) {
        operationQueue.deliver { [self] in delegate.finish(task, error: error, observers) }
    }
}

extension NetworkError {
    static func sessionInvalidated(_ request: URLRequest?) -> NetworkError {
        NetworkError(.sessionInvalidated, message: "The session has been invalidated", failingURL: request?.url)
    }
}
