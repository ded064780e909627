/// Everything that tasks need of a session, which they may use longer than the program uses the ``CurlSession`` object.
///
/// The session object retains its tasks from their creation. A task that was not resumed yet retains only the core:
/// otherwise session and task would retain each other. Once it is resumed, it retains the session object, which
/// callbacks receive. If that has been released in the meantime, another one is made.
final class CurlSessionCore: Sendable {
    let settings: CurlSessionSettings
    let dispatcher: DelegateDispatcher
    let group: CallGroup
    let trust = SessionTrust()
    private let madeEngine = Mutex<TransferEngine?>(nil)
    let isShared: Bool
    /// The tasks that are kept for the next process; `nil` if the session is not durable, or cannot use its folder.
    let durable: DurableTasks?
    /// The number of the session among those of the process.
    let number = CurlSessionCore.count.withLock { count in
        count += 1
        return count
    }
    private static let count = Mutex<UInt64>(0)
    let registry = Mutex(TaskRegistry())
    private let links: Mutex<Links>

    /// The objects of the program that the session refers to.
    private struct Links {
        weak var session: CurlSession?
        var delegate: (any URLSessionDelegate)?
        var casts: DelegateCasts
        weak var observer: (any CurlSessionTaskObserver)?
    }

    init(
        _ settings: CurlSessionSettings,
        delegate: (any URLSessionDelegate)?,
        dispatcher: DelegateDispatcher,
        isShared: Bool
    ) {
        self.settings = settings
        self.dispatcher = dispatcher
        self.isShared = isShared
        durable = try? settings.durable?.get()
        links = Mutex(Links(delegate: delegate, casts: DelegateCasts(delegate)))
        group = CallGroup(settings, dispatcher)
        // After an error, the first task tries again, and fails if the engine still cannot be made.
        _ = try? requireEngine()
    }

    deinit { engine?.stop() }

    /// The engine, if it could be made.
    var engine: TransferEngine? { madeEngine.withLock { $0 } }

    /// Returns the engine; if it could not be made before, that is tried again, since a descriptor may be free now.
    func requireEngine() throws -> TransferEngine {
        try madeEngine.withLock { made in
            if let made { return made }
            let engine = try TransferEngine(settings: EngineSettings(settings), observer: group, trust: trust)
            made = engine
            return engine
        }
    }

    var delegate: (any URLSessionDelegate)? { links.withLock { $0.delegate } }
    var casts: DelegateCasts { links.withLock { $0.casts } }
    var observer: (any CurlSessionTaskObserver)? {
        get { links.withLock { $0.observer } }
        set { links.withLock { $0.observer = newValue } }
    }

    /// The session object: the program's or, if that was released, another one, which is the same for all tasks.
    ///
    /// It must not be read under a lock, since the object may have to be made.
    var session: CurlSession {
        if let session = links.withLock({ $0.session }) { return session }
        let made = CurlSession(self)
        return links.withLock { links in
            // Another thread may have made one in the meantime.
            if let session = links.session { return session }
            links.session = made
            return made
        }
    }

    /// Notes the first session object, which is not retained.
    func note(_ session: CurlSession) { links.withLock { $0.session = session } }

    /// Stops retaining the tasks that were never resumed when a session object is released, unless there is another
    /// one.
    func sessionWasReleased() {
        // Neither the tasks nor a session object may be released under the lock.
        let kept = links.withLock { links -> (CurlSession?, [URLSessionTask]) in
            if let other = links.session { return (other, []) }
            return (nil, registry.withLock { $0.releaseIdle() })
        }
        withExtendedLifetime(kept) {}
    }

    /// Forgets the accepted credentials; tasks that start later also use new connections.
    func forgetCredentials() {
        guard let engine else { return }
        engine.submitIfStarted(
            .run { [group] in
                group.acceptedCredentials.forgetAll()
                engine.connections.retireAll()
            }
        )
    }

    // MARK: - The tasks

    /// The tasks that were resumed and neither cancelled nor completed.
    var outstandingTasks: [URLSessionTask] {
        let (running, idle) = registry.withLock { ($0.running, $0.idle) }
        let earlier = idle.filter { durable?.isEarlier($0.taskIdentifier) == true }
        return (earlier + running).filter { $0.state == .running || $0.state == .suspended }
    }

    /// Registers a task that begins to run, and returns the reason why it must not run, if any.
    func admit(_ core: TaskCore, _ task: URLSessionTask, forCompletion: Bool) -> URLError? {
        let isInvalidated = registry.withLock { registry in
            registry.run(task, identifier: core.identifier)
            return registry.isInvalidated
        }
        if !isInvalidated || core.wasMadeBeforeInvalidation || forCompletion { return nil }
        let error = CurlSessionError(.sessionInvalidated, "The session of the task has been invalidated")
        return .ferry(.unknown, url: core.originalRequest?.url, underlying: error)
    }

    /// Ends the record of a task whose completion was delivered, and notifies the delegate if no earlier task is left.
    func endDurableTask(_ identifier: Int, _ error: (any Error)?, _ known: (any URLSessionDelegate)? = nil) {
        guard let durable, durable.end(identifier, keepsFile: ResumeData.data(of: error) != nil) else { return }
        dispatcher.queue.deliver { [self] in
            ((known ?? delegate) as? any CurlSessionDelegate)?.urlSessionDidFinishEvents(session)
        }
    }

    /// Makes the session invalid once its tasks have finished; tasks that can no longer be resumed are not waited for.
    func finishTasks() {
        registry.withLock { $0.invalidate() }
        releaseIdleTasks()
        if registry.withLock({ $0.claimInvalidity() }) { reportInvalidity() }
    }

    /// Cancels all tasks, even those that were never resumed; once they have completed, the session is invalid.
    func cancelTasks() {
        let tasks = registry.withLock { registry in
            registry.invalidate(cancelling: true)
            return registry.running + registry.idle
        }
        for task in tasks { task.cancel() }
        engine?.submitIfStarted(.run { [group] in group.cancelRevalidations() })
        if registry.withLock({ $0.claimInvalidity() }) { reportInvalidity() }
    }

    /// Stops retaining the tasks that were never resumed; those that the program does not retain either are forgotten.
    private func releaseIdleTasks() {
        let released = registry.withLock { $0.releaseIdle() }
        // The tasks must be released outside the lock.
        withExtendedLifetime(released) {}
    }

    func forget(_ identifier: Int) {
        let (removed, isInvalid) = registry.withLock { ($0.remove(identifier), $0.claimInvalidity()) }
        if isInvalid { reportInvalidity() }
        withExtendedLifetime(removed) {}
    }

    private func reportInvalidity() {
        dispatcher.queue.deliver { [self] in
            // The delegate is released with its last call.
            let delegate = links.withLock { links in
                defer { (links.delegate, links.casts) = (nil, DelegateCasts(nil)) }
                return links.delegate
            }
            delegate?.urlSession(session, didBecomeInvalidWithError: nil)
            // Ends the thread, even if the session is retained for longer.
            engine?.stop()
        }
    }
}
