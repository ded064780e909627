/// The refresh that the current Swift task belongs to.
private enum RefreshScope {
    @TaskLocal static var flight: (any AnyObject & Sendable)?
}

/// One refresh of a credential, for which any number of requests wait.
///
/// Its result is kept, so that a request that begins to wait when the refresh has just ended has the same result as the
/// others.
final class RefreshFlight<Credential: Sendable>: Sendable {
    /// The new credential; `nil` if the application has set another one in the meantime.
    typealias Outcome = Result<HeldCredential<Credential>?, any Error>
    private typealias Waiter = CheckedContinuation<HeldCredential<Credential>?, any Error>

    private struct State {
        var outcome: Outcome?
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        /// The tasks that the refresh itself has started.
        var ownTasks: Set<TaskIdentity> = []
        var tasks: [Task<Void, Never>] = []
    }

    let old: HeldCredential<Credential>?
    /// The generation of the credential that is replaced; see ``RefreshState``.
    let generation: Int

    private let state = Mutex(State())

    init(replacing old: HeldCredential<Credential>?, generation: Int) {
        self.old = old
        self.generation = generation
    }

    var waitingCount: Int { state.withLock { $0.waiters.count } }

    // MARK: - Requests of the refresh

    /// Whether the current Swift task belongs to this refresh, which therefore must not wait for itself.
    var isCurrent: Bool { RefreshScope.flight === self }

    /// Calls the function that refreshes; ``isCurrent`` is true in it.
    func perform<Result: Sendable>(_ refresh: () async throws -> Result) async rethrows -> Result {
        try await RefreshScope.$flight.withValue(self, operation: refresh)
    }

    /// Remembers that the refresh itself has started a task.
    func noteOwn(_ attempt: RequestAttempt) {
        state.withLock { state in
            if state.outcome == nil { state.ownTasks.insert(attempt.taskIdentity) }
        }
    }

    /// Whether the refresh itself has started a task, and waits for its result.
    func isOwn(_ attempt: RequestAttempt) -> Bool { state.withLock { $0.ownTasks.contains(attempt.taskIdentity) } }

    // MARK: - Waiting

    /// Waits for the result, which is `nil` if the application has set another credential in the meantime; throws
    /// `CancellationError`, at once, if the task that waits is cancelled.
    func wait() async throws -> HeldCredential<Credential>? {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let known = state.withLock { state -> Outcome? in
                    if let outcome = state.outcome { return outcome }
                    // The handler below may have been called before there is a waiter.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[number] = waiter
                    return nil
                }
                if let known { waiter.resume(with: known) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Adds a task to cancel when there is a result.
    func adopt(_ task: Task<Void, Never>) {
        let isFinished = state.withLock { state in
            if state.outcome == nil { state.tasks.append(task) }
            return state.outcome != nil
        }
        if isFinished { task.cancel() }
    }

    /// Sets the result and resumes all requests that wait for it; only the first result counts.
    func finish(_ outcome: Outcome) {
        let (waiters, tasks) = state.withLock { state -> ([Waiter], [Task<Void, Never>]) in
            guard state.outcome == nil else { return ([], []) }
            state.outcome = outcome
            defer { (state.waiters, state.tasks, state.ownTasks) = ([:], [], []) }
            return (Array(state.waiters.values), state.tasks)
        }
        for task in tasks { task.cancel() }
        for waiter in waiters { waiter.resume(with: outcome) }
    }
}
