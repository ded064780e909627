/// The life of a session's tasks, and of the session.
extension CurlSession {
    /// The tasks that were resumed and neither cancelled nor completed.
    var outstandingTasks: [URLSessionTask] {
        registry.withLock { $0.running }.filter { $0.state == .running || $0.state == .suspended }
    }

    /// Keeps a task that begins to run.
    ///
    /// - Returns: The reason why the task may not run.
    func admit(_ core: TaskCore, forCompletion: Bool) -> URLError? {
        guard let task = core.state.withLock({ $0.task }) else { return nil }
        let isInvalidated = registry.withLock { registry in
            registry.run(task, identifier: core.identifier)
            return registry.isInvalidated
        }
        if !isInvalidated || core.wasMadeBeforeInvalidation || forCompletion { return nil }
        let error = CurlSessionError(.sessionInvalidated, "The session of the task has been invalidated")
        return .ferry(.unknown, url: core.originalRequest?.url, underlying: error)
    }

    /// Lets the tasks run to their ends; those that nobody can resume any more are not waited for.
    func finishTasks() {
        registry.withLock { $0.invalidate() }
        for core in registry.withLock({ $0.idle }) where core.isAbandoned { forget(core.identifier) }
        if registry.withLock({ $0.claimInvalidity() }) { reportInvalidity() }
    }

    /// Cancels all tasks, also those that were never resumed.
    func cancelTasks() {
        let (running, idle) = registry.withLock { registry in
            registry.invalidate()
            return (registry.running, registry.idle)
        }
        for task in running { task.cancel() }
        for core in idle { core.task(in: self).cancel() }
        engine?.cancelValidations()
        if registry.withLock({ $0.claimInvalidity() }) { reportInvalidity() }
    }

    /// Forgets a task that is complete.
    func forget(_ identifier: Int) {
        let (removed, isInvalid) = registry.withLock { ($0.remove(identifier), $0.claimInvalidity()) }
        if isInvalid { reportInvalidity() }
        withExtendedLifetime(removed) {}
    }

    /// Forgets a task that was released and never resumed, if the session waits for its tasks only to become invalid.
    func noteAbandonedTask(_ identifier: Int) {
        if registry.withLock({ $0.isInvalidated }) { forget(identifier) }
    }

    private func reportInvalidity() {
        delegateQueue.deliver { [self] in
            breakLink()?.urlSession(self, didBecomeInvalidWithError: nil)
            // The thread ends, however long the session is kept.
            engine?.stop()
        }
    }
}
