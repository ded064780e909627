internal import CFerry

/// Runs all exchanges of one session on one thread, with one libcurl multi handle.
///
/// Tasks submit commands, and are told what happens through ``ExchangeClient``. The thread starts with the first
/// exchange, sleeps while nothing happens, and ends when the session stops the engine. While it sleeps and no exchange
/// is in progress, a caller's thread may run a turn itself: see ``runInline(_:)``.
///
/// `@unchecked Sendable`: everything that is not behind `inbox` is used only by the thread that has the engine: its
/// own, or a caller's that runs a turn.
final class TransferEngine: @unchecked Sendable {
    /// The number of bytes that libcurl may keep for all paused streams together; its buffers take up to twice as much.
    private static let backlogLimit: Int64 = 25_165_824
    /// The number of libcurl's handles that are kept for the next requests.
    private static let idleHandleCount = 64
    /// The number of turns before the backlogs of paused streams are counted again.
    private static let turnsBetweenBacklogs = 4
    /// The time for which the thread waits if there is no deadline, in milliseconds.
    private static let longest: Int32 = 3_600_000

    let settings: EngineSettings
    let runtime: CurlRuntime
    let connections = ConnectionTable()
    let trustQuestions = TrustQuestions()
    let chains = RefusedChains()
    let trust = SessionTrust()
    let multi: MultiHandle
    private let dispatcher: DelegateDispatcher
    /// Whether a request begins without waiting and without user code.
    let isSelfContained: Bool
    let inbox = Mutex(EngineInbox())

    // MARK: On the thread that has the engine

    private(set) var active: [UnsafeMutableRawPointer: NetworkAttempt] = [:]
    private var idleHandles: [EasyHandle] = []
    private let reusesHandles: Bool
    /// Exchanges that wait for user code, by their addresses; their deadlines go on.
    private(set) var waiting: [ObjectIdentifier: Exchange] = [:]
    /// The exchanges that have a deadline for the whole call, in whichever phase they are.
    private(set) var calls: [ObjectIdentifier: Exchange] = [:]
    var retryBudgets = RetryBudgets()
    var sharedTransfers = SharedTransfers()
    let admission: Admission
    private(set) var nextDeadline: MonotonicTime?
    var sleep = Sleep()
    /// The connection on which the last exchange ended.
    var idleSocket: Int32?
    /// When the current turn began: exact enough for the lines of a response head, of which many arrive together.
    private(set) var turnStart = MonotonicTime.now()
    private(set) var additionalTurns: AdditionalTurns
    private var isEventful = true
    private var pausedStreams: [UnsafeMutableRawPointer: NetworkAttempt] = [:]
    private var turnsUntilLook = 0
    /// Responses of this turn that have not been built yet.
    private var unbuilt: [ReceivedResponse] = []
    /// Credentials that were accepted in this session, and are sent without a challenge from then on.
    var acceptedCredentials: [CredentialPlace: SchemeCredential] = [:]
    /// The number of times they were forgotten.
    private(set) var credentialsGeneration = 0
    /// Validations of stored responses that no task waits for, by the keys of the responses.
    private var revalidations: [String: Exchange] = [:]
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(settings: EngineSettings, dispatcher: DelegateDispatcher) throws {
        self.settings = settings
        self.dispatcher = dispatcher
        runtime = try CurlRuntime.current()
        admission = Admission(connectionsPerOrigin: settings.maximumConnectionsPerHost, limits: settings.limits)
        multi = try MultiHandle(connections, chains, keeping: settings.keptConnections)
        reusesHandles = EasyHandle.areReusable(versionNumber: runtime.versionNumber)
        additionalTurns = AdditionalTurns(versionNumber: runtime.versionNumber)
        isSelfContained = runtime.supportsAsynchronousDNS && settings.isSelfContained
    }

    deinit { scratch.deallocate() }

    // MARK: - From any thread

    /// Adds a command and wakes the thread if necessary, or performs the command on this thread.
    func submit(_ command: EngineCommand) {
        let mayRunInline = mayRunInline(command)
        let submission = inbox.withLock { $0.add(command, mayRunInline: mayRunInline) }
        // Outside the lock, because the thread takes the lock as soon as it is awake.
        switch submission {
        case .done: return
        case .wakeThread: multi.wakeUp()
        case .startThread: startThread()
        case .runInline: runInline(command)
        }
    }

    /// Ends the thread as soon as no exchange is in progress, without waiting for it.
    func stop() {
        let mustWake = inbox.withLock { $0.stop() }
        if mustWake { multi.wakeUp() }
    }

    private func startThread() {
        let thread = Thread { [self] in
            // On Linux the name of a `Thread` does not always reach the system.
            ferry_name_thread("Ferry")
            ferry_block_sigpipe()
            run()
        }
        thread.stackSize = 1_048_576
        thread.start()
    }

    /// Ends the validations of stored responses that no task waits for.
    func cancelValidations() { submitIfStarted(.cancelRevalidations) }

    /// Forgets the credentials that were accepted before later tasks start; these use new connections.
    func forgetCredentials() { submitIfStarted(.forgetCredentials) }

    /// Adds a command that has no effect before the first task, and then starts no thread.
    private func submitIfStarted(_ command: EngineCommand) {
        let isStarted = inbox.withLock { $0.isStarted }
        if isStarted { submit(command) }
    }

    // MARK: - The thread

    private func run() {
        dispatcher.engineDidStart()
        defer { dispatcher.engineDidStop() }
        var commands: [EngineCommand] = []
        while true {
            let isStopped = inbox.withLock { $0.take(&commands) }
            let isIdle = commands.isEmpty
            if !isIdle { noteEvent() }
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
            if isStopped { cancelRevalidations() }
            // A cancelled lookup still runs in libcurl, and taking its handle away would block until it ends.
            if isStopped, isIdle, active.isEmpty, waiting.isEmpty { break }
            beginTurn()
            multi.perform()
            endTurn()
            rest()
        }
        idleHandles = []
    }

    func beginTurn() {
        let now = MonotonicTime.now()
        // A timer has ended the wait, and not the delay of an additional turn.
        if now.since(turnStart) < AdditionalTurns.delayInNanoseconds { noteEvent() }
        turnStart = now
    }

    func noteEvent() { isEventful = true }

    /// Whether nothing can happen before a command.
    var isIdle: Bool { active.isEmpty && waiting.isEmpty && calls.isEmpty && admission.nextTime == nil }

    /// Handles what libcurl has done in the turn.
    func endTurn() {
        finishEnded()
        limitBacklogs()
        expire()
        admission.admitWaiting()
        watchPace()
        // A single one is built immediately: the delegate queue would only wait for it.
        if unbuilt.count == 1 { buildResponses() }
        dispatcher.engineDidEndTurn()
        buildResponses()
        additionalTurns.note(isEventful: isEventful)
        isEventful = true
    }

    /// Waits until there is something to do: for the connections or, if no exchange is in progress, for a command.
    private func rest() {
        let isIdle = isIdle
        if isIdle, multi.canSleep, sleepAvailable() { return }
        // The engine may have been stopped together with the last command, and nothing would wake the thread again.
        guard inbox.withLock({ $0.mayWait(isIdle: isIdle) }) else { return }
        let longest = nextDeadline.map { milliseconds(until: $0) } ?? Self.longest
        isEventful = multi.poll(milliseconds: additionalTurns.wait(longest)) || !additionalTurns.isDue
    }

    func perform(_ command: EngineCommand) {
        switch command {
        case .task(let command, let exchange): perform(command, of: exchange)
        case .bodyAvailable(let exchange): exchange.bodyAvailable()
        case .trustDecided(let exchange, let question, let decision): exchange.continueAfterTrust(question, decision)
        case .verificationKnown(let exchange): exchange.continueAfterWait()
        case .responseHeld(let exchange): exchange.recoverFromResponse()
        case .interceptorsAnswered(let exchange, let question, let answer):
            exchange.interceptorsAnswered(question, answer)
        case .sharedTransferEnded(let exchanges, let end):
            for exchange in exchanges { exchange.sharedTransferEnded(end) }
        case .cancelRevalidations: cancelRevalidations()
        case .forgetCredentials:
            acceptedCredentials = [:]
            credentialsGeneration += 1
            connections.retireAll()
        }
    }

    private func perform(_ command: TaskCommand, of exchange: Exchange) {
        switch command {
        case .start(let priority):
            exchange.followSuspension()
            noteStart(of: exchange)
            start(exchange, priority: priority)
        case .suspensionChanged: exchange.followSuspension()
        case .cancel(let client):
            exchange.cancel()
            client?.exchange(didCancelProducing: nil)
        case .cancelProducingResumeData(let client): exchange.cancelProducingResumeData(for: client)
        case .readMore: exchange.readMore()
        case .redirect(let request): exchange.answerRedirect(request)
        case .authenticate(let disposition, let credential): exchange.answerChallenge(disposition, credential)
        case .bodyStream(let box): exchange.answerBodyStream(box)
        case .becomeDownload(let client): exchange.becomeDownload(for: client)
        }
    }

    /// Adds a response that is built before the delegate queue needs it.
    func prebuild(_ response: ReceivedResponse) { unbuilt.append(response) }

    /// Builds responses from the last one on, while the delegate queue, which was woken, begins with the first.
    private func buildResponses() {
        while let response = unbuilt.popLast() { response.prebuild() }
    }

    private func finishEnded() {
        while let (pointer, code) = multi.nextFinished() {
            noteEvent()
            guard let attempt = active[pointer] else { continue }
            if let exchange = attempt.exchange { exchange.attemptEnded(code) } else { recycle(attempt) }
        }
    }

    // MARK: - Admission

    /// Begins an attempt of an exchange, now or when its origin has a connection slot for it.
    func start(_ exchange: Exchange, priority: Float) {
        guard exchange.client != nil else { return }
        exchange.incoming = IncomingResponse()
        exchange.priority = priority
        exchange.phase = exchange.isSuspended ? .parked : .idle
        guard !exchange.isSuspended else { return }
        if exchange.clock.isCallOver(at: turnStart) { return exchange.expire(.call) }
        guard !exchange.mustWaitForInterceptors(), let origin = exchange.prepare() else { return }
        noteRequest(of: exchange, to: origin)
        exchange.noteUnsafeRequest(to: origin)
        if exchange.mustWaitForVerification(of: origin) || exchange.consultCache() { return }
        if exchange.mustWaitForIdenticalRequest() { return }
        admission.admit(exchange, to: origin)
    }

    /// Begins the attempt of an exchange that has been admitted.
    func begin(_ exchange: Exchange) {
        guard let attempt = exchange.attempt, let easy = idleHandles.popLast() ?? EasyHandle() else {
            return exchange.fail(.ferry(.unknown, url: exchange.request.url, "There is no memory for a request"))
        }
        active[easy.pointer] = attempt
        attempt.attach(easy, to: exchange)
        exchange.phase = .running
        do throws(URLError) { try attempt.setUp(easy, for: exchange) } catch { return exchange.fail(error) }
        let code = multi.add(easy)
        guard code == 0 else {
            return exchange.fail(.ferry(.unknown, url: exchange.request.url, "libcurl refused the request: \(code)"))
        }
        // libcurl lets it wait while another request connects to the same server, which may never succeed.
        if attempt.prepared.origin.scheme == "https" { attempt.beginConnecting(at: turnStart) }
    }

    /// Takes back the handle and the connection slot of an attempt that is over, and lets the next one begin.
    func release(_ exchange: Exchange) {
        if let attempt = exchange.attempt { recycle(attempt) }
        waiting[ObjectIdentifier(exchange)] = nil
        giveUpSlot(exchange)
        if exchange.phase != .finished { exchange.phase = .idle }
    }

    private func recycle(_ attempt: NetworkAttempt) {
        let isClean = attempt.discardBacklog()
        guard let easy = attempt.detach() else { return }
        pausedStreams[easy.pointer] = nil
        if active.count == 1 { idleSocket = easy.socket }
        multi.remove(easy)
        active[easy.pointer] = nil
        guard isClean, idleHandles.count < Self.idleHandleCount, easy.reset(isReusable: reusesHandles) else { return }
        idleHandles.append(easy)
    }

    /// Leaves a lookup to itself, since taking its handle back would block; the attempt may not connect then.
    func abandonLookup(of attempt: NetworkAttempt) {
        attempt.exchange?.attempt = nil
        attempt.abandon()
    }

    /// Lets other exchanges begin instead of one that does not use its connection for now.
    func giveUpSlot(_ exchange: Exchange) {
        admission.leave(exchange)
    }

    /// Takes a slot for an exchange that is resumed: it still has its connection, so no slot needs to be free.
    func retakeSlot(_ exchange: Exchange) {
        if exchange.phase == .running { admission.readmit(exchange) }
    }

    // MARK: - Waiting for user code

    /// Keeps an exchange that has no handle while user code decides about it; its deadlines go on.
    func wait(_ exchange: Exchange) {
        waiting[ObjectIdentifier(exchange)] = exchange
        exchange.phase = .waitingForDecision
        if !exchange.isSuspended { exchange.clock.start(at: .now()) }
        watch(exchange)
    }

    /// Keeps an exchange until its next attempt begins; except for that of inactivity, its deadlines go on.
    func waitForRetry(_ exchange: Exchange, until time: MonotonicTime) {
        waiting[ObjectIdentifier(exchange)] = exchange
        exchange.phase = .waitingForRetry
        exchange.clock.retryTime = time
        if !exchange.isSuspended { exchange.clock.start(at: .now()) }
        watch(exchange)
    }

    /// Ends the wait, and returns whether the exchange has been waiting.
    func endWait(_ exchange: Exchange) -> Bool {
        guard waiting.removeValue(forKey: ObjectIdentifier(exchange)) != nil else { return false }
        exchange.clock.stop(at: .now())
        return true
    }

    // MARK: - The cache

    /// Validates a stored response for later requests, once at a time.
    ///
    /// The request carries no more than that of the task: `hasLeftOrigin` indicates whether a redirect has led to it.
    func revalidate(_ request: URLRequest, key: String, hasLeftOrigin: Bool, limits: ExchangeClock.Limits) {
        guard revalidations[key] == nil else { return }
        let client = CacheRevalidation { [weak self] in self?.revalidations[key] = nil }
        let exchange = Exchange(self, request, body: .none, toFile: false, client: client, limits: limits)
        exchange.caching.isEnabled = true
        exchange.caching.isRevalidation = true
        exchange.redirects.hasLeftOrigin = hasLeftOrigin
        client.attach(exchange)
        revalidations[key] = exchange
        exchange.perform(.start(priority: URLSessionTask.lowPriority))
    }

    private func cancelRevalidations() {
        let cancelled = revalidations.values
        revalidations = [:]
        for exchange in cancelled { exchange.cancel() }
    }

    // MARK: - Backlogs

    /// Remembers which streams libcurl stores bytes for.
    func notePause(of attempt: NetworkAttempt) {
        guard let pointer = attempt.easy?.pointer else { return }
        pausedStreams[pointer] = attempt.isReceivingPaused ? attempt : nil
    }

    /// Gives up the largest paused streams if together they hold more than the limit; a single one holds up to 32 MiB.
    private func limitBacklogs() {
        guard pausedStreams.count > 1 else { return }
        turnsUntilLook -= 1
        guard turnsUntilLook < 0 else { return }
        turnsUntilLook = Self.turnsBetweenBacklogs
        let backlogs = pausedStreams.values.map { (attempt: $0, size: $0.backlog) }
        var total = backlogs.reduce(0) { $0 + $1.size }
        guard total > Self.backlogLimit else { return }
        for (attempt, size) in backlogs.sorted(by: { $0.size > $1.size }) where attempt.exchange?.detach() == true {
            total -= size
            if total <= Self.backlogLimit { return }
        }
    }

    // MARK: - Deadlines

    /// Notes that a task has begun, for the deadline of its call.
    private func noteStart(of exchange: Exchange) {
        // The task may have been cancelled before it could start.
        guard exchange.client != nil else { return }
        if exchange.clock.limits.call != nil {
            calls[ObjectIdentifier(exchange)] = exchange
            if !exchange.isSuspended { exchange.clock.startCall(at: .now()) }
            watch(exchange)
        }
    }

    /// Adds the share of a task's first request to the retries of its origin.
    private func noteRequest(of exchange: Exchange, to origin: Origin) {
        guard let recovery = exchange.recovery, !recovery.isCounted, let budget = recovery.settings.retry?.budget else {
            return
        }
        recovery.isCounted = true
        retryBudgets.noteRequest(to: RetryBudgets.Key(origin: origin, limits: budget), at: .now())
    }

    func forgetDeadline(_ exchange: Exchange) {
        if !calls.isEmpty { calls[ObjectIdentifier(exchange)] = nil }
    }

    /// Makes sure that the next deadline of an exchange is checked in time.
    func watch(_ exchange: Exchange) {
        guard let deadline = exchange.clock.next()?.time else { return }
        if let next = nextDeadline, next <= deadline { return }
        nextDeadline = deadline
    }

    /// Makes sure that there is a turn when a request may begin that waits for a time.
    private func watchPace() {
        guard let time = admission.nextTime else { return }
        nextDeadline = min(time, nextDeadline ?? time)
    }

    private func expire() {
        guard let due = nextDeadline else { return }
        let now = MonotonicTime.now()
        guard due <= now else { return }
        nextDeadline = nil
        for exchange in active.values.compactMap(\.exchange) + Array(waiting.values) + Array(calls.values) {
            guard exchange.client != nil, let next = exchange.clock.next() else { continue }
            if next.time <= now { exchange.expire(next.deadline) } else { watch(exchange) }
        }
    }

    func milliseconds(until time: MonotonicTime) -> Int32 {
        Int32(min(time.since(.now()) / 1_000_000 + 1, UInt64(Self.longest)))
    }
}
