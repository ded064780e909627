/// What the three kinds of task share: state, control, and the mailbox between the engine and the delegate.
///
/// The engine posts events from its thread; ``drain()`` delivers them, one at a time and in order, on the delegate
/// queue. Decisions are made under the lock; delegates and handlers are called outside it.
final class TaskCore: Sendable {
    /// How many bytes wait for a slow delegate before the engine stops reading.
    static let bufferLimit = 1_048_576

    let identifier: Int
    /// Whether the task may run while its invalidated session finishes.
    let wasMadeBeforeInvalidation: Bool
    let progress: TaskProgress
    let state: Mutex<TaskState>

    init(
        identifier: Int,
        session: CurlSession,
        request: URLRequest?,
        body: BodySource,
        face: TaskFace,
        isDownload: Bool,
        wasMadeBeforeInvalidation: Bool,
        startError: URLError? = nil
    ) {
        self.identifier = identifier
        self.wasMadeBeforeInvalidation = wasMadeBeforeInvalidation
        progress = TaskProgress()
        state = Mutex(
            TaskState(
                face: face,
                originalRequest: request,
                currentRequest: request,
                body: body,
                isDownload: isDownload,
                startError: startError,
                session: session
            )
        )
    }

    deinit {
        // Only a task that never ran goes away with its session still set.
        state.withLock { $0.session }?.forget(identifier)
    }

    /// Ties the core to the task that users see.
    func attach(_ task: URLSessionTask) {
        state.withLock { $0.weakTask = task }
        // A parent cancels its child without asking the task for it.
        if Progress.current() != nil { _ = task.progress }
    }

    /// Ties a `Progress` to the task when somebody asks for it: most tasks' are never looked at.
    func tied(_ progress: Progress) -> Progress {
        self.progress.attach(
            progress,
            cancel: { [weak self] in self?.cancel() },
            pause: { [weak self] in self?.suspend() },
            resume: { [weak self] in self?.resume() }
        )
        return progress
    }

    // MARK: - Control

    private enum ResumeAction {
        case none
        case start(CurlSession)
        case goOn(Transfer?, mustDrain: Bool)
    }

    func resume() {
        let action = state.withLock { state -> ResumeAction in
            guard state.lifecycle == .active, state.suspendCount > 0 else { return .none }
            state.suspendCount -= 1
            guard state.suspendCount == 0 else { return .none }
            if state.isStarted { return .goOn(state.transfer, mustDrain: state.claimDrain()) }
            guard let session = state.session else { return .none }
            state.isStarted = true
            state.task = state.weakTask
            return .start(session)
        }
        switch action {
        case .none: return
        case .start(let session): start(in: session)
        case .goOn(let transfer, let mustDrain):
            if let transfer { transfer.engine.submit(.suspensionChanged(transfer)) }
            if mustDrain { scheduleDrain() }
        }
        notifyObserver(isResumed: true)
    }

    func suspend() {
        let (isReal, transfer) = state.withLock { state -> (Bool, Transfer?) in
            guard state.lifecycle == .active, state.suspendCount < Int.max else { return (false, nil) }
            state.suspendCount += 1
            return (state.suspendCount == 1 && state.isStarted, state.transfer)
        }
        guard isReal else { return }
        if let transfer { transfer.engine.submit(.suspensionChanged(transfer)) }
        notifyObserver(isResumed: false)
    }

    func cancel() {
        let cancelled = state.withLock { state -> (transfer: Transfer?, mustDrain: Bool, session: CurlSession?)? in
            guard state.lifecycle == .active else { return nil }
            state.lifecycle = .canceling
            let error = URLError.ferryCancelled(url: state.originalRequest?.url)
            state.error = error
            let session = state.isStarted ? nil : state.session
            state.isStarted = true
            if state.task == nil { state.task = state.weakTask }
            state.removeUndelivered()
            state.events = [.completed(error)]
            state.awaitedAnswer = nil
            return (state.transfer, state.claimDrain(), session)
        }
        guard let cancelled else { return }
        // A task that never ran is not yet among those that invalidation waits for.
        if let session = cancelled.session { _ = session.admit(self, forCompletion: true) }
        if let transfer = cancelled.transfer { transfer.engine.submit(.cancel(transfer)) }
        if cancelled.mustDrain { scheduleDrain() }
    }

    /// Cancels a download; the handler gets what it takes to continue it, or `nil`, on the delegate queue.
    func cancel(producing handler: UncheckedHandler) {
        let transfer = state.withLock { state -> Transfer? in
            guard state.lifecycle == .active, state.isStarted, let transfer = state.transfer else { return nil }
            state.lifecycle = .canceling
            state.removeUndelivered()
            state.awaitedAnswer = nil
            state.resumeDataHandler = handler
            return transfer
        }
        guard let transfer else {
            callOnDelegateQueue(handler)
            return cancel()
        }
        transfer.engine.submit(.cancelProducingResumeData(transfer, self))
    }

    private func start(in session: CurlSession) {
        let refusal = session.admit(self, forCompletion: false)
        let transferOrError = state.withLock { state -> Result<Transfer, URLError>? in
            guard state.lifecycle == .active else { return nil }
            if let error = refusal ?? state.startError { return .failure(error) }
            guard let request = state.originalRequest else {
                return .failure(.ferry(.badURL, url: nil, "The task has no request"))
            }
            let delegate = state.ownDelegate ?? session.faces
            state.isUnheard = delegate.isEmpty && !state.face.isDelegate
            guard let engine = session.engine else {
                return .failure(session.unavailable(request.url))
            }
            let limits = session.limits(for: request)
            if let data = state.resumeData {
                do throws(CurlSessionError) {
                    let file = try DownloadFile(resuming: data)
                    state.transfer = Transfer(engine: engine, client: self, resuming: data, file: file, limits: limits)
                } catch {
                    return .failure(.ferry(.cannotOpenFile, url: data.originalURL, underlying: error))
                }
            } else {
                state.transfer = Transfer(
                    engine: engine,
                    client: self,
                    request: request,
                    body: state.body,
                    toFile: state.isDownload,
                    limits: limits
                )
            }
            return state.transfer.map { .success($0) }
        }
        switch transferOrError {
        case .success(let transfer):
            let (priority, isCancelled) = state.withLock { ($0.priority, $0.lifecycle != .active) }
            transfer.engine.submit(.start(transfer, priority: priority))
            if isCancelled { transfer.engine.submit(.cancel(transfer)) }
        case .failure(let error): complete(with: error)
        case nil: break
        }
    }

    private func complete(with error: URLError) {
        post(.completed(error))
    }

    private func notifyObserver(isResumed: Bool) {
        let (session, task) = state.withLock { ($0.session, $0.task ?? $0.weakTask) }
        guard let session, let task, let observer = session.taskObserver else { return }
        if isResumed {
            observer.session(session, didResume: task)
        } else {
            observer.session(session, didSuspend: task)
        }
    }

    // MARK: - The mailbox

    func post(_ event: TaskEvent) {
        let mustDrain = state.withLock { state -> Bool in
            guard state.lifecycle == .active else { return false }
            state.append(event)
            return state.claimDrain()
        }
        if mustDrain { scheduleDrain() }
    }

    func scheduleDrain() {
        let dispatcher = state.withLock { state in state.isInline ? nil : state.session?.dispatcher }
        if let dispatcher { dispatcher.enqueue(self) } else { drain() }
    }
}

extension TaskState {
    /// Drops what has not been delivered yet; a file among it is deleted.
    mutating func removeUndelivered() {
        for case .downloaded(let file) in events { file.remove() }
        events = []
        buffer = ByteBuffer()
    }
}
