/// The lifetime of a session and its tasks.
extension CurlSession {
    /// The tasks that were resumed and neither cancelled nor completed.
    var outstandingTasks: [URLSessionTask] {
        registry.withLock { $0.running }.filter { $0.state == .running || $0.state == .suspended }
    }

    /// Registers a task that begins to run.
    ///
    /// - Returns: The reason why the task must not run, or `nil`.
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

    /// Makes the session invalid once its tasks have finished; tasks that can no longer be resumed are not waited for.
    func finishTasks() {
        registry.withLock { $0.invalidate() }
        for core in registry.withLock({ $0.idle }) where core.isAbandoned { forget(core.identifier) }
        if registry.withLock({ $0.claimInvalidity() }) { reportInvalidity() }
    }

    /// Cancels all tasks, including those that were never resumed, and makes the session invalid once they have
    /// completed.
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

    /// Removes a completed task.
    func forget(_ identifier: Int) {
        let (removed, isInvalid) = registry.withLock { ($0.remove(identifier), $0.claimInvalidity()) }
        if isInvalid { reportInvalidity() }
        withExtendedLifetime(removed) {}
    }

    /// Removes a task that was released without having been resumed, if the session is being invalidated.
    func noteAbandonedTask(_ identifier: Int) {
        if registry.withLock({ $0.isInvalidated }) { forget(identifier) }
    }

    private func reportInvalidity() {
        delegateQueue.deliver { [self] in
            breakLink()?.urlSession(self, didBecomeInvalidWithError: nil)
            // Ends the thread, even if the session is retained for longer.
            engine?.stop()
        }
    }
}
