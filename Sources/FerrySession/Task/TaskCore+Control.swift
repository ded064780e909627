/// Starts, suspends, resumes and cancels a task.
extension TaskCore {
    private enum ResumeAction {
        case none
        case start(CurlSession, URLSessionTask)
        case goOn((any TaskDriver)?, mustDrain: Bool)
    }

    /// The session object in which a task that was not started yet will start.
    private var sessionToStartIn: CurlSession? { state.withLock { $0.isStarted ? nil : $0.sessionCore }?.session }

    func apply(_ change: ProgressControl.Change) {
        switch change {
        case .cancel: cancel()
        case .pause: suspend()
        case .resume, .start: resume(ifNew: change == .start)
        }
    }

    /// Resumes the task; with `ifNew`, only if it was never resumed.
    func resume(ifNew: Bool = false) {
        let session = sessionToStartIn
        let action = state.withLock { state -> ResumeAction in
            guard state.lifecycle == .active, state.suspendCount > 0 else { return .none }
            if ifNew, state.isStarted { return .none }
            state.suspendCount -= 1
            guard state.suspendCount == 0 else { return .none }
            if state.isStarted { return .goOn(state.driver, mustDrain: state.claimDrain()) }
            guard let session, state.start(in: session), let task = state.task else { return .none }
            return .start(session, task)
        }
        switch action {
        case .none: return
        case .start(let session, let task):
            // The observer is called before the task can end.
            session.taskObserver?.session(session, didResume: task)
            return begin(task, in: session)
        case .goOn(let driver, let mustDrain):
            driver?.perform(.suspensionChanged)
            noteDurably { $0.isSuspended = self.publicState == .suspended }
            if mustDrain { scheduleDrain() }
        }
        notifyObserver { $0.session($1, didResume: $2) }
    }

    func suspend() {
        let (isReal, driver) = state.withLock { state -> (Bool, (any TaskDriver)?) in
            guard !state.isEnding, state.suspendCount < Int.max else { return (false, nil) }
            state.suspendCount += 1
            return (state.suspendCount == 1 && state.isStarted, state.driver)
        }
        guard isReal else { return }
        driver?.perform(.suspensionChanged)
        noteDurably { $0.isSuspended = self.publicState == .suspended }
        notifyObserver { $0.session($1, didSuspend: $2) }
    }

    /// Writes the task to the journal of a durable session, and returns the error if that is not possible.
    private func keep(_ task: URLSessionTask, in core: CurlSessionCore) -> URLError? {
        guard let durable = core.settings.durable else { return nil }
        let (request, body, isDownload, resumeData) = state.withLock {
            ($0.originalRequest, $0.body, $0.isDownload, $0.resumeData)
        }
        var file: URL?
        if !isDownload {
            guard task is CurlUploadTask, case .file(let url) = body else { return nil }
            file = url
        }
        guard let request else { return nil }
        do {
            try durable.get().keep(identifier, request, upload: file) { record in
                (record.text, record.priority) = (task.taskDescription, task.priority)
                record.partial = resumeData.map(DurableRecord.Partial.init)
            }
            // The task may have been suspended, or cancelled and its completion delivered, before there was a record.
            noteDurably { $0.isSuspended = self.publicState == .suspended }
            if state.withLock({ $0.lifecycle == .completed }) { core.endDurableTask(identifier, nil) }
            return nil
        } catch let error as CurlSessionError {
            return .ferry(.unknown, url: request.url, underlying: error)
        } catch {
            let text = "The task cannot be kept: \((error as? FileError)?.description ?? error.localizedDescription)"
            return .ferry(.cannotCreateFile, url: request.url, reason: .durabilityUnavailable, text)
        }
    }

    func noteDurably(_ change: (inout DurableRecord) -> Void) {
        let (core, task) = state.withLock { ($0.sessionCore, $0.task) }
        guard let durable = core?.durable else { return }
        durable.note(identifier) { record in
            change(&record)
            if let task { (record.text, record.priority) = (task.taskDescription, task.priority) }
        }
    }

    private func notifyObserver(_ call: (any CurlSessionTaskObserver, CurlSession, URLSessionTask) -> Void) {
        let (session, task) = state.withLock { ($0.session, $0.task ?? $0.weakTask) }
        if let session, let task, let observer = session.taskObserver { call(observer, session, task) }
    }

    func cancel() { cancel(producing: nil) }

    /// Ends the task with this error instead of that of a cancellation, unless it has ended.
    func fail(with error: URLError) { cancel(producing: nil, error) }

    /// Cancels the task; a handler gets resume data or `nil`, on the delegate queue, before the delegate gets the end.
    func cancel(producing handler: (@Sendable (Data?) -> Void)?, _ failure: URLError? = nil) {
        typealias Unregistered = (session: CurlSession, task: URLSessionTask)
        typealias Cancellation = ((any TaskDriver)?, mustDrain: Bool, Unregistered?, undelivered: [TaskEvent])
        let newSession = sessionToStartIn
        let cancelled = state.withLock { state -> Cancellation? in
            guard !state.isEnding else { return nil }
            let wasStarted = state.isStarted
            if !wasStarted {
                guard let newSession, state.start(in: newSession) else { return nil }
            }
            state.resumeDataHandler = handler
            if handler != nil, state.hasSucceeded {
                state.suspendCount = 0
                return (nil, state.claimDrain(), nil, [])
            }
            state.lifecycle = .canceling
            let undelivered = state.takeUndelivered()
            state.obstacle = nil
            if handler != nil, let driver = state.driver {
                // The transfer may have failed already, in an event that the delegate has not received.
                state.resumeDataOfFailure = undelivered.resumeData
                return (driver, false, nil, undelivered)
            }
            var error = state.refusal ?? failure ?? .ferryCancelled(url: state.originalRequest?.url)
            if handler != nil, let resumeData = state.resumeData?.encoded() {
                error = error.withResumeData(resumeData)
            }
            state.error = error
            var new: Unregistered?
            if !wasStarted, let session = state.session, let task = state.task { new = (session, task) }
            // A transfer reports its end itself, once the metrics include the request in progress.
            if !(state.driver is CallDriver) { state.events = [.completed(error)] }
            return (state.driver, state.claimDrain(), new, undelivered)
        }
        guard let (driver, mustDrain, new, undelivered) = cancelled else { return callWithoutResumeData(handler) }
        undelivered.discardFiles(keepingResumeData: handler != nil && driver != nil)
        // A task that never ran must be registered, so that it is kept until its completion has been delivered.
        if let new { _ = new.session.core.admit(self, new.task, forCompletion: true) }
        driver?.perform(.cancel(telling: self, producesResumeData: handler != nil))
        if mustDrain { scheduleDrain() }
    }

    private func callWithoutResumeData(_ handler: (@Sendable (Data?) -> Void)?) {
        guard let handler else { return }
        guard let queue = state.withLock({ $0.sessionCore?.dispatcher.queue }) else { return handler(nil) }
        queue.deliver { handler(nil) }
    }

    // MARK: - Starting

    private func begin(_ task: URLSessionTask, in session: CurlSession) {
        let refusal = session.core.admit(self, task, forCompletion: false) ?? keep(task, in: session.core)
        let partial = refusal == nil ? openPartialFile(unlessClaimedBy: session.settings.protocols) : nil
        let adaptation = refusal == nil ? adaptImmediately(in: session) : nil
        startDriver { state in
            if let error = refusal ?? state.startError { throw error }
            guard let request = state.originalRequest else {
                throw URLError.ferry(.badURL, url: nil, "The task has no request")
            }
            let adapted = try adaptation?.get()
            state.isUnheard = state.delegate?.isEmpty != false && !state.resultDelivery.isDelegate
            if let own = state.ownDelegate, !state.resultDelivery.isDelegate {
                state.tellsOwnDelegate = state.isDownload ? own.download != nil : own.data != nil
            }
            guard session.settings.protocols.mayClaim(request) else {
                return try self.makeTransfer(&state, session, request, state.body, partial, adapted)
            }
            return ProtocolLoad(request, body: state.body, toFile: state.isDownload, client: self, session: session)
        }
    }

    private typealias PartialFile = (record: ResumeData, file: DownloadFile)

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
            return .success((record, try DownloadFile(resuming: record)))
        } catch {
            // Not under the lock: the journal reads the task's state under its own.
            guard state.withLock({ $0.sessionCore?.durable })?.isEarlier(identifier) == true else {
                return .failure(.ferry(.cannotOpenFile, url: record.originalURL, underlying: error))
            }
            // The session itself has chosen to continue the file.
            state.withLock { ($0.resumeData, $0.counts) = (nil, TransferCounts()) }
            return nil
        }
    }

    private func startDriver(_ make: (inout State) throws -> (any TaskDriver)?) {
        let driver: (any TaskDriver)?
        do {
            driver = try state.withLock { state in
                guard state.lifecycle == .active, let made = try make(&state) else { return nil }
                state.driver = made
                return made
            }
        } catch {
            return post(.completed(error))
        }
        guard let driver else { return }
        // A cancellation for resume data sends its own command, which keeps the partial file.
        let isCancelled = state.withLock { $0.lifecycle != .active && $0.resumeDataHandler == nil }
        driver.perform(.start(priority: priority))
        if isCancelled { driver.perform(.cancel(telling: nil)) }
    }

    private func makeTransfer(
        _ state: inout State,
        _ session: CurlSession,
        _ request: URLRequest,
        _ body: BodySource,
        _ partial: Result<PartialFile, URLError>?,
        _ adaptation: Adaptation? = nil
    ) throws -> CallDriver {
        let engine: TransferEngine
        do {
            engine = try session.core.requireEngine()
        } catch {
            throw URLError.ferry(.unknown, url: request.url, underlying: error)
        }
        let recovery = state.recovery ?? session.core.settings.recovery
        var limits = session.core.settings.limits(for: request, deadline: recovery?.deadline)
        // An open connection may be silent for any time.
        if body.isUpgrade { (limits.upgrade, limits.inactivity) = (limits.inactivity, .infinite) }
        let partial = try partial?.get()
        let rest = partial.map { BodyRest($0.record) } ?? BodyRest()
        let request = partial?.record.request ?? request
        var call = Call(
            request,
            body: partial == nil ? body : .none,
            isDownload: state.isDownload,
            settings: session.settings,
            // A protocol class may have led here by redirects.
            redirects: Redirects(original: request, count: state.redirectCount, hasLeftOrigin: state.hasLeftOrigin),
            rest: rest
        )
        recover(&call, recovery, session, state.originalRequest, adaptation)
        let driver = CallDriver(
            engine,
            session.core.group,
            consume call,
            file: partial?.file,
            client: self,
            limits: limits
        )
        // As in URLSession, downloads and uploads do not use the cache.
        driver.cache.isEnabled = state.task is CurlDataTask
        // A stream may stay open for any time.
        let isStream = if case .stream = state.resultDelivery { true } else { false }
        driver.isUnshareable = isStream || state.isUnshareable
        driver.transfer.downloadLimits.task = state.bandwidth.download
        driver.transfer.uploadLimits.task = state.bandwidth.upload
        return driver
    }

    // MARK: - Retries and interceptors

    /// The request before the interceptors have changed it, and after it.
    private typealias Adaptation = (base: URLRequest, adapted: AdaptedRequest)

    /// Returns the request that the interceptors have changed on this thread, or `nil` if they have to be asked later.
    private func adaptImmediately(in session: CurlSession) -> Result<Adaptation?, any Error>? {
        guard let recovery = recoverySettings, let interceptors = recovery.interceptors, var request = originalRequest
        else { return nil }
        if let url = request.url.flatMap({ session.settings.hsts?.upgraded($0) }) { request.url = url }
        let attempt = RequestAttempt(identity(in: session), originalURL: request.url, hasLeftOrigin: hasLeftOrigin)
        interceptors.taskWillStart(attempt)
        guard !session.settings.protocols.mayClaim(request) else { return nil }
        let base = recovery.withIdempotencyKey(request)
        return Result {
            try interceptors.adaptImmediately(base, for: attempt).map { (base, $0) }
        }
    }

    private func identity(in session: CurlSession) -> TaskIdentity {
        TaskIdentity(session: session.core.number, task: identifier)
    }

    private func recover(
        _ call: inout Call,
        _ settings: RecoverySettings?,
        _ session: CurlSession,
        _ original: URLRequest?,
        _ adaptation: Adaptation?
    ) {
        call.circuit = CircuitUse(settings?.circuitBreaker)
        guard let settings, settings.affectsAttempts else { return }
        let attempts = Attempts(
            settings,
            // All attempts have the key that was made for the interceptors.
            adaptation?.base ?? settings.withIdempotencyKey(call.request.base),
            task: identity(in: session),
            originalURL: original?.url ?? call.request.url,
            received: call.rest.received
        )
        call.recover(by: attempts, adapted: adaptation?.adapted)
    }
}

/// Connects a task with the classes of `protocolClasses`.
extension TaskCore {
    /// The task as users see it, until it is complete.
    var protocolTask: URLSessionTask? { state.withLock { $0.task } }
    /// The number of redirects the task has received.
    var redirectCount: Int { state.withLock { $0.redirectCount } }
    /// Whether a redirect has led to another origin.
    var hasLeftOrigin: Bool { state.withLock { $0.hasLeftOrigin } }

    /// Makes the load the task's driver, because a class accepts the request; returns whether the task still runs.
    func protocolLoadMayBegin(_ load: ProtocolLoad) -> Bool {
        let (isWanted, old) = state.withLock { state -> (Bool, (any TaskDriver)?) in
            guard state.lifecycle == .active else { return (false, nil) }
            // A class does not continue a download.
            state.counts.received = .zero
            defer { state.driver = load }
            return (true, state.driver === load ? nil : state.driver)
        }
        // The engine's transfer led here by a redirect and is finished.
        old?.perform(.cancel(telling: nil))
        return isWanted
    }

    /// Passes the request to the engine, because no class accepts it.
    func protocolLoadIsUnclaimed(_ load: ProtocolLoad, _ request: URLRequest, _ body: BodySource) {
        let driver = state.withLock { $0.driver }
        if let transfer = driver as? CallDriver { return transfer.perform(.redirect(request)) }
        let partial = openPartialFile()
        startDriver { state in
            guard let session = state.session else { return nil }
            return try self.makeTransfer(&state, session, request, body, partial)
        }
    }

    /// Follows a redirect received by the engine, which may lead to a protocol class.
    func followRedirect(_ response: HTTPURLResponse, to next: URLRequest?, _ driver: any TaskDriver) {
        let (from, hsts) = state.withLock { ($0.originalRequest?.url, $0.session?.settings.hsts) }
        let origin = from.map { Origin(hsts?.upgraded($0) ?? $0) }
        let (session, body, isDownload, request) = state.withLock { state in
            if next != nil { state.metrics.redirectCount += 1 }
            // The delegate may have changed the target.
            if let origin, let to = next?.url, origin != Origin(to) { state.hasLeftOrigin = true }
            let body = state.redirectedBody ?? state.body
            return (state.session, body, state.isDownload, state.currentRequest?.request)
        }
        guard driver is CallDriver, let next, let request, let session, session.settings.protocols.mayClaim(next) else {
            return driver.perform(.redirect(next))
        }
        let kept = body.afterRedirection(status: response.statusCode, from: request, asked: request, to: next)
        let load = ProtocolLoad(next, body: kept, toFile: isDownload, client: self, session: session)
        load.perform(.start(priority: priority))
    }
}

/// An object that carries out a task: a transfer of the engine, or a class of the configuration's `protocolClasses`.
protocol TaskDriver: AnyObject, Sendable {
    /// Receives a command from the task, on any thread; does not block.
    func perform(_ command: TaskCommand)
}

/// A command from a task to its driver.
enum TaskCommand: Sendable {
    case start(priority: Float)
    /// The task was suspended or resumed; the driver reads which, because two threads may submit in any order.
    case suspensionChanged
    /// Cancels the task; a transfer reports its end once its metrics are complete, and a protocol load only if resume
    /// data is wanted.
    case cancel(telling: (any CallClient)?, producesResumeData: Bool = false)
    /// There is room for more of the body.
    case readMore
    /// Decides a redirect with the request to send, or with `nil` to deliver the redirect response itself.
    case redirect(URLRequest?)
    case authenticate(URLSession.AuthChallengeDisposition, URLCredential?)
    case bodyStream(StreamBox?)
    /// Writes the body to a file, beginning with what the client has kept of it.
    case becomeDownload(any CallClient)
    /// Asks whether the system still sends bytes, some of which the server has acknowledged within a time.
    case askIsSending(within: TimeSpan, Answer)
}

/// The answer to a question, which is `false` if no engine answers it any more.
final class Answer: Sendable {
    private let waiter: Mutex<CheckedContinuation<Bool, Never>?>

    init(_ waiter: CheckedContinuation<Bool, Never>) { self.waiter = Mutex(waiter) }

    deinit { give(false) }

    func give(_ answer: Bool) { waiter.withLock { $0.take() }?.resume(returning: answer) }
}
