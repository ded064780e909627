internal import CFerry

/// Moves the bytes of one session: one thread, one libcurl multi handle.
///
/// Tasks speak to it by commands; it speaks to them through ``TransferClient``. The thread starts with the first
/// transfer, sleeps while nothing happens, and ends when the session lets go of the engine's ``Handle``. While it sleeps
/// with nothing under way, it lends the engine to whoever brings a request: see ``carryOut(_:)``.
///
/// `@unchecked Sendable`: what is not behind `inbox` is touched on the engine's thread only, or by who was lent it.
final class TransferEngine: @unchecked Sendable {
    /// How many requests an origin with HTTP/2 is sent at a time: what servers commonly allow on one connection.
    private static let streamsPerOrigin = 100

    /// How many bytes libcurl may hold for all paused streams together; its buffers take up to twice as much.
    private static let backlogLimit: Int64 = 25_165_824

    /// How long the thread waits where no deadline is known, in milliseconds.
    private static let longest: Int32 = 3_600_000

    let settings: EngineSettings
    let runtime: CurlRuntime
    let connections = ConnectionTable()
    let trustQuestions: TrustQuestions
    let chains = RefusedChains()
    let trust = SessionTrust()
    let multi: MultiHandle
    private let observer: any EngineObserver
    /// Whether a request begins without waiting and without code of the user's.
    let isSelfContained: Bool
    let inbox = Mutex(EngineInbox())

    // MARK: On the thread that has the engine

    private(set) var active: [UnsafeMutableRawPointer: Transfer] = [:]
    private var multiplexed: Set<Origin> = []
    private var idleHandles: [EasyHandle] = []
    private let reusesHandles: Bool
    /// Transfers that wait for code of the user's, by their addresses; their deadlines go on.
    private(set) var waiting: [ObjectIdentifier: Transfer] = [:]
    private var gates: [Origin: HostGate] = [:]
    private(set) var nextDeadline: MonotonicTime?
    var sleep = Sleep()
    /// The connection on which the last of the transfers ended.
    var idleSocket: Int32?
    /// When libcurl last began to perform: exact enough for the lines of a head, which come many at a time.
    private(set) var turnStart = MonotonicTime.now()
    private(set) var secondLook: SecondLook
    private var isEventful = true
    private var pausedStreams: [UnsafeMutableRawPointer: Transfer] = [:]
    private var turnsUntilLook = 0
    /// Responses of this turn that nobody has made yet.
    private var unmade: [ReceivedResponse] = []
    /// Credentials that were accepted in this session, sent unasked from then on.
    var acceptedCredentials: [CredentialPlace: SchemeCredential] = [:]
    /// Stored responses that are validated behind the user's back, by their keys.
    private var revalidations: [String: Transfer] = [:]
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    init(settings: EngineSettings, observer: any EngineObserver) throws {
        self.settings = settings
        self.observer = observer
        runtime = try CurlRuntime.current()
        multi = try MultiHandle(connections, chains)
        trustQuestions = TrustQuestions()
        reusesHandles = EasyHandle.areReusable(versionNumber: runtime.versionNumber)
        secondLook = SecondLook(versionNumber: runtime.versionNumber)
        isSelfContained = runtime.supportsAsynchronousDNS && settings.isSelfContained
    }

    deinit {
        scratch.deallocate()
    }

    // MARK: - From any thread

    /// Queues a command, and wakes the thread once per burst, or carries the command out.
    func submit(_ command: EngineCommand) {
        let mayBeCarriedOut = mayCarryOut(command)
        let delivery = inbox.withLock { $0.add(command, mayBeCarriedOut: mayBeCarriedOut) }
        // Outside the lock, which the thread takes as soon as it is awake.
        switch delivery {
        case .done: return
        case .wakeThread: multi.wakeUp()
        case .startThread: startThread()
        case .carryOut: carryOut(command)
        }
    }

    /// Ends the thread as soon as nothing runs any more; nobody waits for it.
    func stop() {
        let mustWake = inbox.withLock { $0.stop() }
        if mustWake { multi.wakeUp() }
    }

    private func startThread() {
        let thread = Thread { [self] in
            // On Linux a name that `Thread` is given reaches the system sometimes.
            ferry_name_thread("Ferry")
            ferry_block_sigpipe()
            run()
        }
        thread.stackSize = 1_048_576
        thread.start()
    }

    /// Ends the validation of stored responses that nobody waits for.
    func cancelValidations() {
        let isStarted = inbox.withLock { $0.isStarted }
        if isStarted { submit(.cancelRevalidations) }
    }

    // MARK: - The thread

    private func run() {
        observer.engineDidStart()
        defer { observer.engineDidStop() }
        var commands: [EngineCommand] = []
        while true {
            let isStopped = inbox.withLock { $0.take(&commands) }
            let isIdle = commands.isEmpty
            if !isIdle { noteEvent() }
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
            if isStopped { cancelRevalidations() }
            // A cancelled look-up still runs in libcurl; taking its handle away would block until it ends.
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
        // A timer has ended the wait, and not the time of a second look.
        if now.since(turnStart) < SecondLook.delayInNanoseconds { noteEvent() }
        turnStart = now
    }

    /// Takes note that the turn is no mere second look.
    func noteEvent() {
        isEventful = true
    }

    /// Looks what libcurl has done, and tells of it.
    func endTurn() {
        finishEnded()
        limitBacklogs()
        admitMultiplexed()
        expire()
        // One alone is made at once: the queue's thread would only wait for it.
        if unmade.count == 1 { makeResponses() }
        observer.engineDidEndTurn()
        makeResponses()
        secondLook.note(isEventful: isEventful)
        isEventful = true
    }

    /// Waits until there is something to do: for the connections or, with none under way, for a command.
    private func rest() {
        let isIdle = active.isEmpty && waiting.isEmpty
        if isIdle, multi.canSleep, park() { return }
        // The wish to stop may have come together with the last command, and nothing would wake the thread again.
        guard inbox.withLock({ $0.mayWait(isIdle: isIdle) }) else { return }
        let longest = nextDeadline.map { milliseconds(until: $0) } ?? Self.longest
        isEventful = multi.poll(milliseconds: secondLook.wait(longest)) || !secondLook.isDue
    }

    func perform(_ command: EngineCommand) {
        switch command {
        case .start(let transfer, let priority):
            transfer.followSuspension()
            start(transfer, priority: priority)
        case .suspensionChanged(let transfer): transfer.followSuspension()
        case .cancel(let transfer, let client):
            transfer.cancel()
            client?.transfer(didCancelProducing: nil)
        case .cancelProducingResumeData(let transfer, let client): transfer.cancelProducingResumeData(for: client)
        case .readMore(let transfer): transfer.readMore()
        case .bodyAvailable(let transfer): transfer.bodyAvailable()
        case .redirect(let transfer, let request): transfer.answerRedirect(request)
        case .authenticate(let transfer, let disposition, let credential):
            transfer.answerChallenge(disposition, credential)
        case .bodyStream(let transfer, let box): transfer.answerBodyStream(box)
        case .becomeDownload(let transfer, let client): transfer.becomeDownload(for: client)
        case .cancelRevalidations: cancelRevalidations()
        case .trustDecided(let transfer, let question, let decision):
            transfer.continueAfterTrust(question, decision)
        case .verificationKnown(let transfer): transfer.continueAfterWait()
        }
    }

    /// Remembers a response that the delegate queue will want.
    func makeEarly(_ response: ReceivedResponse) {
        unmade.append(response)
    }

    /// Helps the delegate queue, which has been woken and begins with the first.
    private func makeResponses() {
        while let response = unmade.popLast() { response.makeEarly() }
    }

    private func finishEnded() {
        while let (pointer, code) = multi.nextFinished() {
            noteEvent()
            guard let transfer = active[pointer] else { continue }
            transfer.attemptEnded(code)
        }
    }

    // MARK: - Admission

    /// Lets a transfer begin its attempt, now or when its origin has a place for it.
    func start(_ transfer: Transfer, priority: Float) {
        transfer.isParked = transfer.isSuspended
        guard !transfer.isSuspended, let origin = transfer.prepare() else { return }
        transfer.priority = priority
        if transfer.mustWaitForVerification(of: origin) { return }
        if transfer.consultCache() { return }
        transfer.gateOrigin = origin
        let gate = gate(of: origin)
        if gate.enter() {
            transfer.holdsSlot = true
            begin(transfer)
        } else {
            transfer.isWaitingForSlot = true
            gate.wait(transfer, priority: priority)
        }
    }

    private func gate(of origin: Origin) -> HostGate {
        if let gate = gates[origin] { return gate }
        let gate = HostGate(limit: settings.maximumConnectionsPerHost)
        gates[origin] = gate
        return gate
    }

    private func begin(_ transfer: Transfer) {
        guard let easy = idleHandles.popLast() ?? EasyHandle() else {
            transfer.fail(.ferry(.unknown, url: transfer.request.url, "There is no memory for a request"))
            return
        }
        active[easy.pointer] = transfer
        guard transfer.configure(easy) else { return }
        let code = multi.add(easy)
        if code != 0 {
            transfer.fail(.ferry(.unknown, url: transfer.request.url, "libcurl refused the request: \(code)"))
        }
    }

    /// Takes the handle of an attempt that is over back, and lets the next one in.
    func release(_ transfer: Transfer) {
        let isClean = transfer.discardBacklog()
        if let easy = transfer.takeEasy() {
            pausedStreams[easy.pointer] = nil
            if active.count == 1 { idleSocket = easy.socket }
            multi.remove(easy)
            active[easy.pointer] = nil
            let kept = 64
            if isClean, idleHandles.count < kept, easy.reset(isReusable: reusesHandles) { idleHandles.append(easy) }
        }
        transfer.attempt.leaveConnection()
        waiting[ObjectIdentifier(transfer)] = nil
        giveUpSlot(transfer)
    }

    /// Leaves the handle of a look-up that still runs to a transfer of nobody's: to take it back now, libcurl would block
    /// until the look-up ends.
    ///
    /// That transfer is mute, may not connect, and brings the handle back by itself.
    func leaveLookUp(of transfer: Transfer) {
        guard let easy = transfer.takeEasy() else { return }
        let heir = Transfer(
            engine: self,
            client: nil,
            request: transfer.request,
            body: .none,
            toFile: false,
            limits: TransferClock.Limits()
        )
        heir.easy = easy
        let context = Unmanaged.passUnretained(heir).toOpaque()
        easy.prepare(context: context, connections: connections)
        easy.watchHandshake(chains, context: context)
        active[easy.pointer] = heir
        transfer.isResolving = false
    }

    /// Gives a transfer's place to the next one.
    func giveUpSlot(_ transfer: Transfer) {
        transfer.isWaitingForSlot = false
        guard transfer.holdsSlot, let origin = transfer.gateOrigin else { return }
        transfer.holdsSlot = false
        gates[origin]?.leave()
        admitWaiting(origin)
    }

    /// A suspended transfer keeps its connection, but nobody waits behind it.
    func giveUpSlotWhileSuspended(_ transfer: Transfer) {
        guard transfer.hasEasy else { return }
        giveUpSlot(transfer)
    }

    /// A suspended transfer that goes on has its connection still, so it needs no place to be free.
    func retakeSlot(_ transfer: Transfer) {
        guard !transfer.holdsSlot, transfer.hasEasy, let origin = transfer.gateOrigin else { return }
        gate(of: origin).reenter()
        transfer.holdsSlot = true
    }

    /// HTTP/2 carries many requests on one connection, so its origins admit more.
    ///
    /// It is called from libcurl's callbacks, where no handle may be added; they are let in when libcurl returns.
    func noteMultiplexed(_ origin: Origin) {
        guard let gate = gates[origin], gate.limit < Self.streamsPerOrigin else { return }
        gate.limit = Self.streamsPerOrigin
        multiplexed.insert(origin)
    }

    private func admitMultiplexed() {
        guard !multiplexed.isEmpty else { return }
        let origins = multiplexed
        multiplexed = []
        for origin in origins { admitWaiting(origin) }
    }

    private func admitWaiting(_ origin: Origin) {
        guard let gate = gates[origin] else { return }
        while let next = gate.next() {
            next.isWaitingForSlot = false
            next.holdsSlot = true
            begin(next)
        }
        // An idle gate is kept for the next request, unless there are many of them.
        let keptGates = 64
        guard gates.count > keptGates, gate.isEmpty, gate.limit == settings.maximumConnectionsPerHost else { return }
        gates[origin] = nil
    }

    // MARK: - Waiting for the user's code

    /// Keeps a transfer that has no handle while code of the user's decides about it; its deadlines go on.
    func wait(_ transfer: Transfer) {
        waiting[ObjectIdentifier(transfer)] = transfer
        if !transfer.isSuspended { transfer.clock.start(at: .now()) }
        watch(transfer)
    }

    func isWaiting(_ transfer: Transfer) -> Bool { waiting[ObjectIdentifier(transfer)] != nil }

    /// Ends the wait, and returns whether the transfer has been waiting.
    func endWait(_ transfer: Transfer) -> Bool {
        guard waiting.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return false }
        transfer.clock.stop(at: .now())
        return true
    }

    // MARK: - The cache

    /// Validates a stored response for those who ask later, once at a time.
    func revalidate(_ request: URLRequest, key: String, limits: TransferClock.Limits) {
        guard revalidations[key] == nil else { return }
        let client = CacheRevalidation { [weak self] in self?.revalidations[key] = nil }
        let transfer = Transfer(
            engine: self,
            client: client,
            request: request,
            body: .none,
            toFile: false,
            limits: limits
        )
        (transfer.usesCache, transfer.isRevalidation) = (true, true)
        client.attach(transfer)
        revalidations[key] = transfer
        submit(.start(transfer, priority: URLSessionTask.lowPriority))
    }

    private func cancelRevalidations() {
        let cancelled = revalidations.values
        revalidations = [:]
        for transfer in cancelled { transfer.cancel() }
    }

    // MARK: - Backlogs

    /// Remembers which streams libcurl stores bytes for.
    func notePause(of transfer: Transfer) {
        guard let pointer = transfer.easy?.pointer else { return }
        pausedStreams[pointer] = transfer.appliedPause & CurlPause.receive != 0 ? transfer : nil
    }

    /// Gives up paused streams, those with most bytes first, when all together hold more than is good.
    ///
    /// One alone is never given up: it costs 32 MiB at most.
    private func limitBacklogs() {
        guard pausedStreams.count > 1 else { return }
        turnsUntilLook -= 1
        guard turnsUntilLook < 0 else { return }
        turnsUntilLook = 4
        let backlogs = pausedStreams.values.map { (transfer: $0, size: $0.backlog) }
        var total = backlogs.reduce(0) { $0 + $1.size }
        guard total > Self.backlogLimit else { return }
        for (transfer, size) in backlogs.sorted(by: { $0.size > $1.size }) where transfer.detach() {
            total -= size
            if total <= Self.backlogLimit { return }
        }
    }

    // MARK: - Deadlines

    /// Makes sure that a transfer's next deadline is looked at in time.
    func watch(_ transfer: Transfer) {
        guard let deadline = transfer.clock.next()?.time else { return }
        if let next = nextDeadline, next <= deadline { return }
        nextDeadline = deadline
    }

    private func expire() {
        guard let due = nextDeadline else { return }
        let now = MonotonicTime.now()
        guard due <= now else { return }
        nextDeadline = nil
        for transfer in Array(active.values) + Array(waiting.values) {
            guard let next = transfer.clock.next() else { continue }
            if next.time <= now {
                transfer.expire(next.deadline)
            } else {
                watch(transfer)
            }
        }
    }

    func milliseconds(until time: MonotonicTime) -> Int32 {
        Int32(min(time.since(.now()) / 1_000_000 + 1, UInt64(Self.longest)))
    }
}
