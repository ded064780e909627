/// The state and control shared by the three kinds of task, and the event queue between the engine and the delegate.
///
/// The engine posts events from its thread; ``drain()`` delivers them, one at a time and in order, on the delegate
/// queue. Decisions are made under the lock; delegates and handlers are called outside it.
package final class TaskCore: Sendable {
    let identifier: Int
    /// Whether the task may still run after its session was invalidated.
    let wasMadeBeforeInvalidation: Bool
    let progress = TaskProgress()
    let state: Mutex<State>

    init(_ identifier: Int, _ state: consuming State, wasMadeBeforeInvalidation: Bool) {
        self.identifier = identifier
        self.wasMadeBeforeInvalidation = wasMadeBeforeInvalidation
        self.state = Mutex(state)
    }

    // MARK: - The task that users see

    /// Connects the core with the task that users see.
    func attach(_ task: URLSessionTask) {
        state.withLock { $0.weakTask = task }
        // A parent `Progress` must be able to cancel the task even if the task's own is never requested.
        if Progress.current() != nil { _ = task.progress }
    }

    /// Makes the task continue a download of an earlier process, whose bytes count as received.
    func continueEarlier(_ data: ResumeData) {
        let rest = BodyRest(data)
        let counts = state.withLock { state in
            state.resumeData = data
            state.count(.resumed(at: rest.received, expectedTotal: rest.expectedTotal))
            state.counts.hasResponse = true
            return state.counts
        }
        progress.update(completed: counts.completed, total: counts.total)
    }

    /// The task, if it was never resumed and is not being released.
    var unstartedTask: URLSessionTask? { state.withLock { $0.isStarted ? nil : $0.weakTask } }

    /// Makes the session forget the task, which is released without having been resumed.
    func taskWasReleased() {
        let (session, body) = state.withLock { state -> (CurlSessionCore?, BodySource) in
            guard !state.isStarted else { return (nil, .none) }
            defer { state.sessionCore = nil }
            return (state.sessionCore, state.body)
        }
        session?.forget(identifier)
        // The writer of a body must not wait for a reader.
        if case .made(let body) = body { body.abandon() }
    }

    /// Connects a `Progress` to the task when it is requested; for most tasks it never is.
    func tied(_ progress: Progress) -> Progress {
        self.progress.attach(progress) { [weak self] in self?.apply($0) }
        return progress
    }

    // MARK: - What users read and set, on any thread

    var publicState: URLSessionTask.State {
        state.withLock { state in
            switch state.lifecycle {
            case .active: state.suspendCount > 0 ? .suspended : .running
            case .canceling: .canceling
            case .completed: .completed
            }
        }
    }

    var originalRequest: URLRequest? { state.withLock { $0.originalRequest } }
    var currentRequest: URLRequest? { state.withLock { $0.currentRequest }?.complete }
    var response: URLResponse? { state.withLock { $0.response }?.value }
    var error: (any Error)? { state.withLock { $0.isClosed ? nil : $0.error } }
    var countOfBytesReceived: Int64 { state.withLock { $0.counts.received }.int64 }
    var countOfBytesSent: Int64 { state.withLock { $0.counts.sent }.int64 }
    var countOfBytesExpectedToReceive: Int64 { state.withLock { $0.counts.expectedToReceive }.transferSize }
    var countOfBytesExpectedToSend: Int64 { state.withLock { $0.counts.expectedToSend }.transferSize }
    var clientExpectsToReceive: Int64 {
        get { state.withLock { $0.clientExpectsToReceive } }
        set { state.withLock { $0.clientExpectsToReceive = newValue } }
    }
    var clientExpectsToSend: Int64 {
        get { state.withLock { $0.clientExpectsToSend } }
        set { state.withLock { $0.clientExpectsToSend = newValue } }
    }
    /// The priority of the task among those that wait for a connection, which the superclass of the task keeps.
    var priority: Float { state.withLock { $0.task ?? $0.weakTask }?.priority ?? URLSessionTask.defaultPriority }

    /// The task's own delegate, or else the session's.
    var delegate: (any URLSessionTaskDelegate)? {
        get {
            let (own, session) = state.withLock { ($0.ownDelegate, $0.sessionCore) }
            return (own ?? session?.casts)?.task
        }
        set { setDelegate(newValue.map { DelegateCasts($0) }) }
    }

    func setDelegate(_ casts: DelegateCasts?) {
        let old = state.withLock { state -> DelegateCasts? in
            let old = state.ownDelegate
            state.ownDelegate = nil
            // A complete task has released its delegate, and would not release another one.
            if let casts, state.lifecycle != .completed {
                state.ownDelegate = state.inFrontOfSession(casts)
                if !casts.isEmpty { state.isUnheard = false }
            }
            return old
        }
        // A delegate's `deinit` is user code and must run outside the lock.
        withExtendedLifetime(old) {}
    }

    // MARK: - The event queue

    /// Queues an event, unless the task is being cancelled or has completed; one that no user code receives is only
    /// counted.
    func post(_ event: TaskEvent) {
        let (mustDrain, update) = state.withLock { state -> (Bool, TransferCounts?) in
            guard state.lifecycle == .active else { return (false, nil) }
            if state.isUnheard, state.count(event) { return (false, state.counts) }
            state.append(event)
            return (state.claimDrain(), nil)
        }
        if let update { progress.update(completed: update.completed, total: update.total) }
        if mustDrain { scheduleDrain() }
    }

    /// Changes the state, and delivers events if `body` returns that it has claimed their delivery.
    func change(_ body: (inout State) -> Bool) {
        let mustDrain = state.withLock { body(&$0) }
        if mustDrain { scheduleDrain() }
    }

    func scheduleDrain() {
        let dispatcher = state.withLock { state in state.isInline ? nil : state.sessionCore?.dispatcher }
        if let dispatcher { dispatcher.enqueue(self) } else { drain() }
    }
}
