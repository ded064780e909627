/// The tasks of a session, protected by the session's lock.
///
/// A task is kept from its creation until it completes. Before it is resumed, only its core is kept. The core releases
/// the session when the task is released, so a session whose tasks were never resumed can be freed.
struct TaskRegistry {
    private enum Entry {
        /// The task was never resumed.
        case idle(TaskCore)
        /// The task was resumed or cancelled.
        case running(URLSessionTask)
    }

    private var entries: [Int: Entry] = [:]
    private var nextIdentifier = 1
    /// The number of tasks that have an identifier and are being made.
    private var reservedCount = 0
    private(set) var isInvalidated = false
    /// Whether all tasks are cancelled, also those that are being made.
    private var cancelsTasks = false
    private var isInvalidityReported = false

    /// The tasks that were resumed or cancelled and are not complete, in the order of their creation.
    var running: [URLSessionTask] {
        entries.sorted { $0.key < $1.key }.compactMap { if case .running(let task) = $0.value { task } else { nil } }
    }

    /// The cores of the tasks that were never resumed, in the order of their creation.
    var idle: [TaskCore] {
        entries.sorted { $0.key < $1.key }.compactMap { if case .idle(let core) = $0.value { core } else { nil } }
    }

    /// Returns the identifier of a task to be made; `add(_:)` must follow, unless the session is invalidated.
    mutating func reserveIdentifier() -> Int {
        defer { nextIdentifier += 1 }
        if !isInvalidated { reservedCount += 1 }
        return nextIdentifier
    }

    /// Adds a task whose identifier was reserved before the session was invalidated, and returns whether it must be
    /// cancelled, since all tasks have been cancelled in the meantime.
    mutating func add(_ core: TaskCore) -> Bool {
        reservedCount -= 1
        entries[core.identifier] = .idle(core)
        return cancelsTasks
    }

    /// Keeps a task that begins to run, unless it has been cancelled and completed in the meantime.
    mutating func run(_ task: URLSessionTask, identifier: Int) {
        guard case .idle = entries[identifier] else { return }
        entries[identifier] = .running(task)
    }

    /// Replaces a data task with the download task that it has become, and returns the data task.
    mutating func replace(_ task: URLSessionTask, identifier: Int) -> URLSessionTask? {
        guard case .running(let old) = entries[identifier] else { return nil }
        entries[identifier] = .running(task)
        return old
    }

    /// Removes a task, and returns the core or task, which must be released outside the lock.
    mutating func remove(_ identifier: Int) -> AnyObject? {
        switch entries.removeValue(forKey: identifier) {
        case .idle(let core): core
        case .running(let task): task
        case nil: nil
        }
    }

    /// Makes the session invalid once it has no tasks left.
    mutating func invalidate(cancelling: Bool = false) {
        isInvalidated = true
        if cancelling { cancelsTasks = true }
    }

    /// Returns a Boolean value that indicates whether the session has just become invalid; `true` only once.
    mutating func claimInvalidity() -> Bool {
        guard isInvalidated, !isInvalidityReported, entries.isEmpty, reservedCount == 0 else { return false }
        isInvalidityReported = true
        return true
    }
}

/// The lifetime of a session and its tasks.
extension CurlSession {
    /// The tasks that were resumed and neither cancelled nor completed.
    var outstandingTasks: [URLSessionTask] {
        registry.withLock { $0.running }.filter { $0.state == .running || $0.state == .suspended }
    }

    /// Registers a task that begins to run, and returns the reason why it must not run, if any.
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

    /// Cancels all tasks, even those that were never resumed; once they have completed, the session is invalid.
    func cancelTasks() {
        let (running, idle) = registry.withLock { registry in
            registry.invalidate(cancelling: true)
            return (registry.running, registry.idle)
        }
        for task in running { task.cancel() }
        for core in idle { core.task(in: self).cancel() }
        engine?.cancelValidations()
        if registry.withLock({ $0.claimInvalidity() }) { reportInvalidity() }
    }

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
