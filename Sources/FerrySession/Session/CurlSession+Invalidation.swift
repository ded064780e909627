/// The life of a session's tasks, and of the session.
extension CurlSession {
    var outstandingTasks: [URLSessionTask] {
        registry.withLock { $0.all }.filter { $0.state != .completed }
    }

    /// Keeps a task that begins to run, or answers why it may not.
    func admit(_ core: TaskCore, forCompletion: Bool) -> URLError? {
        guard let task = core.state.withLock({ $0.task }) else { return nil }
        let (isAdmitted, isInvalidated) = registry.withLock { registry in
            (registry.run(task, identifier: core.identifier), registry.isInvalidated)
        }
        if isAdmitted, !isInvalidated || core.wasMadeBeforeInvalidation || forCompletion { return nil }
        let error = CurlSessionError(.sessionInvalidated, "The session of the task has been invalidated")
        return .ferry(.unknown, url: core.originalRequest?.url, underlying: error)
    }

    /// Forgets a task that is complete, or was never resumed and is gone.
    func forget(_ identifier: Int) {
        let (task, isInvalid) = registry.withLock { registry in
            (registry.remove(identifier), registry.claimInvalidity())
        }
        if isInvalid { reportInvalidity() }
        withExtendedLifetime(task) {}
    }

    func reportInvalidity() {
        delegateQueue.deliver { [self] in
            breakLink()?.urlSession(self, didBecomeInvalidWithError: nil)
        }
    }
}
