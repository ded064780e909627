/// The state and control shared by the three kinds of task, and the event queue between the engine and the delegate.
///
/// The engine posts events from its thread; ``drain()`` delivers them, one at a time and in order, on the delegate
/// queue. Decisions are made under the lock; delegates and handlers are called outside it.
final class TaskCore: Sendable {
    /// The number of bytes that may wait for a slow delegate before the engine stops reading.
    static let bufferLimit = 1_048_576

    let identifier: Int
    /// Whether the task may still run after its session was invalidated.
    let wasMadeBeforeInvalidation: Bool
    /// Whether an `async` function waits for the task.
    let isAsync: Bool
    let progress: TaskProgress
    let state: Mutex<TaskState>
    private let makeTask: @Sendable (TaskCore) -> URLSessionTask

    init(
        identifier: Int,
        session: CurlSession,
        request: URLRequest?,
        body: BodySource,
        resultDelivery: ResultDelivery,
        isDownload: Bool,
        wasMadeBeforeInvalidation: Bool,
        startError: URLError? = nil,
        makeTask: @escaping @Sendable (TaskCore) -> URLSessionTask
    ) {
        self.identifier = identifier
        self.wasMadeBeforeInvalidation = wasMadeBeforeInvalidation
        isAsync = resultDelivery.isAsync
        progress = TaskProgress()
        self.makeTask = makeTask
        state = Mutex(
            TaskState(
                resultDelivery: resultDelivery,
                originalRequest: request,
                currentRequest: request,
                body: body,
                isDownload: isDownload,
                largestBody: max(0, session.options.maximumBodySizeInMemory),
                startError: startError,
                session: session
            )
        )
    }

    // MARK: - The task that users see

    /// Connects the core with the task that users see.
    func attach(_ task: URLSessionTask) {
        state.withLock { $0.weakTask = task }
        // A parent `Progress` must be able to cancel the task even if the task's own is never requested.
        if Progress.current() != nil { _ = task.progress }
    }

    /// Whether the task was never resumed and is referred to only by the session.
    var isAbandoned: Bool { state.withLock { !$0.isStarted && $0.weakTask == nil } }

    /// Releases the session if the task is released before it was resumed.
    ///
    /// The session keeps the core, so that it can cancel the task. Both are freed when the session is released.
    func taskWasReleased() {
        let session = state.withLock { state -> CurlSession? in
            // Another task may have taken the place of this one.
            guard !state.isStarted, state.weakTask == nil else { return nil }
            defer { state.session = nil }
            return state.session
        }
        session?.noteAbandonedTask(identifier)
    }

    /// Returns the task, which is made again if it was released before it was resumed.
    func task(in session: CurlSession) -> URLSessionTask {
        if let task = state.withLock({ $0.task ?? $0.weakTask }) { return task }
        let task = makeTask(self)
        state.withLock { state in
            if !state.isStarted { state.session = session }
        }
        return task
    }

    /// Connects a `Progress` to the task when it is requested; for most tasks it never is.
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
        case goOn((any TaskDriver)?, mustDrain: Bool)
    }

    func resume() {
        let action = state.withLock { state -> ResumeAction in
            guard state.lifecycle == .active, state.suspendCount > 0 else { return .none }
            state.suspendCount -= 1
            guard state.suspendCount == 0 else { return .none }
            if state.isStarted { return .goOn(state.driver, mustDrain: state.claimDrain()) }
            guard let session = state.session else { return .none }
            state.isStarted = true
            state.task = state.weakTask
            return .start(session)
        }
        switch action {
        case .none: return
        case .start(let session): start(in: session)
        case .goOn(let driver, let mustDrain):
            driver?.perform(.suspensionChanged)
            if mustDrain { scheduleDrain() }
        }
        notifyObserver(isResumed: true)
    }

    func suspend() {
        let (isReal, driver) = state.withLock { state -> (Bool, (any TaskDriver)?) in
            guard state.lifecycle == .active, state.suspendCount < Int.max else { return (false, nil) }
            state.suspendCount += 1
            return (state.suspendCount == 1 && state.isStarted, state.driver)
        }
        guard isReal else { return }
        driver?.perform(.suspensionChanged)
        notifyObserver(isResumed: false)
    }

    private struct Cancellation {
        var driver: (any TaskDriver)?
        var mustDrain: Bool
        var session: CurlSession?
        var undelivered: [TaskEvent]
    }

    func cancel() {
        let cancelled = state.withLock { state -> Cancellation? in
            guard state.lifecycle == .active else { return nil }
            state.lifecycle = .canceling
            let error = URLError.ferryCancelled(url: state.originalRequest?.url)
            state.error = error
            let session = state.isStarted ? nil : state.session
            state.isStarted = true
            if state.task == nil { state.task = state.weakTask }
            let undelivered = state.takeUndelivered()
            state.obstacle = nil
            // A transfer reports its end itself, once the metrics include the request in progress.
            if !(state.driver is Exchange) { state.events = [.completed(error)] }
            return Cancellation(
                driver: state.driver,
                mustDrain: state.claimDrain(),
                session: session,
                undelivered: undelivered
            )
        }
        guard let cancelled else { return }
        cancelled.undelivered.discardFiles()
        // A task that never ran must be registered, so that it is kept until its completion has been delivered.
        if let session = cancelled.session { _ = session.admit(self, forCompletion: true) }
        cancelled.driver?.perform(.cancel(telling: self))
        if cancelled.mustDrain { scheduleDrain() }
    }

    /// Cancels a download and calls the handler, on the delegate queue, with resume data or `nil`.
    func cancel(producing handler: UncheckedHandler) {
        let cancelled = state.withLock { state -> ((any TaskDriver), [TaskEvent])? in
            guard state.lifecycle == .active, state.isStarted, let driver = state.driver else { return nil }
            state.lifecycle = .canceling
            let undelivered = state.takeUndelivered()
            state.obstacle = nil
            state.resumeDataHandler = handler
            return (driver, undelivered)
        }
        guard let (driver, undelivered) = cancelled else {
            callOnDelegateQueue(handler)
            return cancel()
        }
        undelivered.discardFiles()
        driver.perform(.cancelProducingResumeData(self))
    }

    private func start(in session: CurlSession) {
        let refusal = session.admit(self, forCompletion: false)
        let partial = refusal == nil ? openPartialFile(unlessClaimedBy: session.protocols) : nil
        startDriver { state in
            if let error = refusal ?? state.startError { return .failure(error) }
            guard let request = state.originalRequest else {
                return .failure(.ferry(.badURL, url: nil, "The task has no request"))
            }
            let delegate = state.ownDelegate ?? session.casts
            state.isUnheard = delegate.isEmpty && !state.resultDelivery.isDelegate
            if let own = state.ownDelegate, !state.resultDelivery.isDelegate {
                state.tellsOwnDelegate = state.isDownload ? own.download != nil : own.data != nil
            }
            guard session.protocols.mayClaim(request) else {
                return self.makeTransfer(&state, session, request, state.body, partial)
            }
            return .success(
                ProtocolLoad(
                    request,
                    body: state.body,
                    toFile: state.isDownload,
                    client: self,
                    classes: session.protocols,
                    settings: session.engineSettings
                )
            )
        }
    }

    /// Starts a transfer for a request that no protocol class loads.
    func startTransfer(_ request: URLRequest, _ body: BodySource) {
        let partial = openPartialFile()
        startDriver { state in
            guard let session = state.session else { return nil }
            return self.makeTransfer(&state, session, request, body, partial)
        }
    }

    /// The partial file of the download that the task continues.
    private struct PartialFile {
        let record: ResumeData
        let file: DownloadFile
    }

    /// Opens the partial file of the download that the task continues; not under the lock, since disks may be slow.
    private func openPartialFile(unlessClaimedBy classes: ProtocolClasses? = nil) -> Result<PartialFile, URLError>? {
        let record = state.withLock { state -> ResumeData? in
            guard state.lifecycle == .active, state.redirectCount == 0, let record = state.resumeData else {
                return nil
            }
            return classes?.mayClaim(state.originalRequest) == true ? nil : record
        }
        guard let record else { return nil }
        do throws(CurlSessionError) {
            return .success(PartialFile(record: record, file: try DownloadFile(resuming: record)))
        } catch {
            return .failure(.ferry(.cannotOpenFile, url: record.originalURL, underlying: error))
        }
    }

    private func startDriver(_ make: (inout TaskState) -> Result<any TaskDriver, URLError>?) {
        let driverOrError = state.withLock { state -> Result<any TaskDriver, URLError>? in
            guard state.lifecycle == .active, let result = make(&state) else { return nil }
            if case .success(let driver) = result { state.driver = driver }
            return result
        }
        switch driverOrError {
        case .success(let driver):
            let (priority, isCancelled) = state.withLock { ($0.priority, $0.lifecycle != .active) }
            driver.perform(.start(priority: priority))
            if isCancelled { driver.perform(.cancel(telling: nil)) }
        case .failure(let error): complete(with: error)
        case nil: break
        }
    }

    private func makeTransfer(
        _ state: inout TaskState,
        _ session: CurlSession,
        _ request: URLRequest,
        _ body: BodySource,
        _ partial: Result<PartialFile, URLError>?
    ) -> Result<any TaskDriver, URLError> {
        guard let engine = session.engine else { return .failure(session.unavailable(request.url)) }
        let limits = session.limits(for: request)
        switch partial {
        case .success(let partial):
            let (data, file) = (partial.record, partial.file)
            return .success(Exchange(engine: engine, client: self, resuming: data, file: file, limits: limits))
        case .failure(let error): return .failure(error)
        case nil: break
        }
        let transfer = Exchange(
            engine: engine,
            client: self,
            request: request,
            body: body,
            toFile: state.isDownload,
            limits: limits
        )
        // A protocol class may have led here by redirects.
        transfer.redirects.count = state.redirectCount
        // As in URLSession, downloads and uploads do not use the cache.
        transfer.caching.isEnabled = state.task is CurlDataTask
        if let from = state.originalRequest?.url, let to = request.url, from != to {
            transfer.redirects.hasLeftOrigin = Origin(from) != Origin(to)
        }
        return .success(transfer)
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

    // MARK: - The event queue

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
    /// Removes and returns the events that have not been delivered and never will be.
    mutating func takeUndelivered() -> [TaskEvent] {
        let undelivered = events
        events = []
        buffer = ByteBuffer()
        return undelivered
    }
}

extension [TaskEvent] {
    /// Deletes the files, complete or partial, of events that will not be delivered; must not be called with a lock
    /// held.
    func discardFiles() {
        for event in self {
            switch event {
            case .downloaded(let file): file.remove()
            case .completed(let error): ResumeData.discard(error)
            default: break
            }
        }
    }
}
