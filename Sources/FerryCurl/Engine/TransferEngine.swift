/// Runs all transfers of one session on one thread, with one libcurl multi handle.
///
/// Transfers begin with a command, and report to a ``TransferReceiver``. The thread starts with the first transfer,
/// sleeps while nothing happens, and ends when the session stops the engine. While it sleeps and no transfer is in
/// progress, a caller's thread may run a turn itself: see ``runInline(_:)``.
///
/// `@unchecked Sendable`: everything that is not behind `inbox` is used only by the thread that has the engine: its
/// own, or a caller's that runs a turn.
package final class TransferEngine: @unchecked Sendable {
    /// The number of bytes that libcurl may keep for all paused streams together; its buffers take up to twice as much.
    private static let backlogLimit: Int64 = 25_165_824
    /// The number of bytes that it may keep for a single one, which is more than the window of a stream.
    private static let maximumBacklog: Int64 = 41_943_040
    private static let maximumIdleHandles = 64
    /// The time for which the thread waits if there is no deadline, in milliseconds.
    private static let longest: Int32 = 3_600_000

    package let settings: EngineSettings
    package let runtime: CurlRuntime
    package let connections: ConnectionTable
    package let trust: SessionTrust
    let multi: MultiHandle
    private let observer: any EngineObserver
    package let inbox = Mutex(EngineInbox())

    // MARK: On the thread that has the engine; accesses are not checked, as for NetworkAttempt

    @exclusivity(unchecked) package private(set) var active: [UnsafeMutableRawPointer: NetworkAttempt] = [:]
    /// The handles that are kept for the next requests; they belong to no multi handle.
    @exclusivity(unchecked) private var idleHandles: [EasyHandle] = []
    @exclusivity(unchecked) var deadlines = TransferDeadlines()
    /// The time that decoding may still take in the current turn.
    @exclusivity(unchecked) package var allowance = TurnAllowance()
    /// The transfers that have more to decode, or to read, than the turn allowed.
    var postponed: [Transfer] = []
    /// The transfers over a limit on bytes per second, and when one of them may continue.
    var limited: (transfers: [Transfer], time: MonotonicTime?) = ([], nil)
    @exclusivity(unchecked) var spacing = TurnSpacing()
    package let admission: Admission
    /// When the current turn began: exact enough for the lines of a response head, of which many arrive together.
    @exclusivity(unchecked) package private(set) var turnStart = MonotonicTime.now()
    @exclusivity(unchecked) private(set) var additionalTurns: AdditionalTurns
    private var pausedStreams: [UnsafeMutableRawPointer: NetworkAttempt] = [:]
    var answered = AnsweredRequests()
    /// Memory for a piece of a body, used by the code that runs at the moment.
    package let scratch: UnsafeMutableRawBufferPointer

    package init(settings: EngineSettings, observer: any EngineObserver, trust: SessionTrust) throws {
        (self.settings, self.observer, self.trust) = (settings, observer, trust)
        runtime = try CurlRuntime.current()
        NetworkAttempt.callbacks
        let hasResolver = (try? settings.network.get())?.resolver != nil
        connections = ConnectionTable(isComplete: !hasResolver)
        admission = Admission(connectionsPerOrigin: settings.maximumConnectionsPerHost, limits: settings.limits)
        multi = try MultiHandle(connections, keeping: settings.keptConnections)
        additionalTurns = AdditionalTurns(versionNumber: runtime.versionNumber)
        // If something above throws, `deinit` does not free it.
        scratch = .allocate(byteCount: 65_536, alignment: 16)
    }

    deinit { scratch.deallocate() }

    // MARK: - From any thread

    /// Adds a command and wakes the thread if necessary, or performs the command on this thread.
    ///
    /// `mayRunInline` is whether the command itself never waits or runs user code; the session's options may.
    package func submit(_ command: EngineCommand, mayRunInline: Bool = false) {
        let mayRunInline = mayRunInline && self.mayRunInline
        let submission = inbox.withLock { $0.add(command, mayRunInline: mayRunInline) }
        // Outside the lock, because the thread takes the lock as soon as it is awake.
        switch submission {
        case .done: return
        case .wakeThread: multi.wakeUp()
        case .startThread: startThread()
        case .runInline: runInline(command)
        }
    }

    /// Ends the thread as soon as no transfer is in progress, without waiting for it.
    package func stop() {
        let mustWake = inbox.withLock { $0.stop() }
        if mustWake { multi.wakeUp() }
    }

    private func startThread() {
        SystemThread.run("Ferry", stackSize: 1_048_576) { [self] in
            // CURLOPT_NOSIGNAL keeps libcurl from blocking the signal.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            run()
        }
    }

    /// Adds a command that has no effect before the first transfer, and then starts no thread.
    package func submitIfStarted(_ command: EngineCommand) {
        let isStarted = inbox.withLock { $0.isStarted }
        if isStarted { submit(command) }
    }

    // MARK: - The thread

    private func run() {
        defer { observer.engineDidLeaveThread() }
        var commands: [EngineCommand] = []
        var isAwaited = true
        while true {
            beginTurn()
            let isStopped = inbox.withLock { $0.take(&commands) }
            let isIdle = commands.isEmpty
            for command in commands { perform(command) }
            commands.removeAll(keepingCapacity: true)
            if isStopped { observer.engineIsStopping() }
            // A cancelled lookup still runs in libcurl, and taking its handle away would block until it ends.
            if isStopped, isIdle, active.isEmpty, deadlines.waiting.isEmpty, postponed.isEmpty { break }
            let isAdditional = additionalTurns.beginTurn(at: turnStart, isAwaited: isAwaited || !isIdle)
            // Within HTTP/2, libcurl may notice an error of the connection only in the stream that it examines first.
            // The streams of a ready socket have no order, so they are examined in that in which they began.
            let mustExamine = answered.mustExamine || connections.hasStreams || runtime.mustExamineAll
            multi.perform(examiningAll: isAdditional || mustExamine)
            endTurn()
            isAwaited = rest()
        }
        idleHandles = []
        // The servers learn that they are not used any more, even if the session is retained.
        connections.retireAll()
        // The transfers in the list retain the engine.
        limited = ([], nil)
    }

    /// Begins a turn, of which the commands are a part: the thread may have slept since the last one.
    func beginTurn() {
        turnStart = .now()
        observer.engineDidBeginTurn()
    }

    /// Performs the rest of a turn on a caller's thread.
    func performTurnInline() {
        noteEvent()
        multi.performQuietly()
        endTurn()
        observer.engineDidLeaveThread()
    }

    package func noteEvent() { (additionalTurns.isEventful, additionalTurns.quietTurns) = (true, 0) }

    /// The objects that OpenSSL's callbacks add refused chains to.
    var chains: RefusedChains { multi.chains }

    /// A Boolean value that indicates whether so many transfers are active that their buffers must be small.
    package var hasManyTransfers: Bool { active.count > 8 }

    /// Whether only responses with large bodies are in progress, of which no byte is urgent.
    private var hasOnlyLargeResponses: Bool {
        active.values.allSatisfy { attempt in
            attempt.received >= TurnSpacing.large && attempt.transfer?.reader == nil && !attempt.prepared.isUpgrade
        }
    }

    /// Whether waits may end at once, since a socket is writable although its stream of HTTP/2 must not send.
    private var mayHaveClosedWindow: Bool {
        guard runtime.ignoresClosedWindows, additionalTurns.quietTurns > 4 else { return false }
        return active.values.contains { $0.transfer?.reader != nil && $0.mayHaveStreams(runtime) }
    }

    /// Whether nothing can happen before a command.
    package var isIdle: Bool {
        active.isEmpty && deadlines.isEmpty && postponed.isEmpty && !admission.isBehind && admission.nextTime == nil
            && limited.time == nil
    }

    /// Handles what libcurl has done in the turn.
    private func endTurn() {
        continuePostponed()
        finishEnded()
        endAnswered()
        limitBacklogs()
        continueLimited()
        expire()
        admission.admitWaiting()
        watchPace()
        observer.engineDidEndTurn()
        additionalTurns.endTurn(at: turnStart, transfers: active.count)
    }

    /// Waits until there is something to do: for the connections or, if no transfer is in progress, for a command;
    /// returns whether anything but the time has ended the wait.
    private func rest() -> Bool {
        let mayPause = spacing.endTurn(begunAt: turnStart, transfers: active.count)
        let isIdle = isIdle
        if isIdle { sleepAvailable() }
        // The engine may have been stopped together with the last command, and nothing would wake the thread again.
        guard inbox.withLock({ $0.beginWait(isIdle: isIdle) }) else {
            // Otherwise a flow of commands would keep the engine from reading its connections.
            if !isIdle { _ = multi.wait(milliseconds: 0) }
            return true
        }
        let isBehind = !postponed.isEmpty || admission.isBehind
        var longest = isBehind ? 0 : deadlines.next.map { milliseconds(until: $0) } ?? Self.longest
        if mayPause, longest > TurnSpacing.pause, hasOnlyLargeResponses {
            multi.sleep(milliseconds: TurnSpacing.pause)
            longest = 0
        }
        if answered.mustExamine { longest = 0 }
        if mayHaveClosedWindow { multi.awaitInput(milliseconds: min(longest, TurnSpacing.pause)) }
        if let time = additionalTurns.time { longest = min(longest, milliseconds(until: time)) }
        return multi.wait(milliseconds: longest)
    }

    package func perform(_ command: EngineCommand) {
        switch command {
        case .start(let receiver, let priority): receiver.start(priority: priority)
        case .run(let body): body()
        }
    }

    private func finishEnded() {
        while let (pointer, code) = multi.nextFinished() {
            noteEvent()
            guard let attempt = active[pointer] else { continue }
            if let receiver = attempt.transfer?.receiver { receiver.handle(.hasEnded(code)) } else { recycle(attempt) }
        }
    }

    // MARK: - Attempts

    package func begin(_ transfer: Transfer) {
        guard let receiver = transfer.receiver else { return }
        let url = transfer.attempt?.url
        guard let attempt = transfer.attempt, let easy = idleHandles.popLast() ?? EasyHandle() else {
            return receiver.handle(.cannotBegin(.ferry(.unknown, url: url, "Not enough memory to start the request")))
        }
        active[easy.pointer] = attempt
        attempt.attach(easy, to: transfer)
        transfer.phase = .running
        do throws(URLError) {
            try attempt.setUp(easy, for: transfer, receiver)
            let code = multi.add(easy)
            if code != 0 { throw .ferry(.unknown, url: url, "curl_multi_add_handle failed: \(code)") }
        } catch {
            // A request that is not sent has no metrics.
            attempt.timing.start = nil
            return receiver.handle(.cannotBegin(error))
        }
        // libcurl makes the attempt wait while another request connects to the same server, which may never succeed.
        if attempt.prepared.origin.scheme == "https" || attempt.version.choice.sharesConnections {
            attempt.beginConnecting(at: turnStart)
        }
    }

    /// Releases the handle and the connection slot of an attempt that is over, and starts the next one.
    package func release(_ transfer: Transfer) {
        if let attempt = transfer.attempt { recycle(attempt) }
        deadlines.waiting[ObjectIdentifier(transfer)] = nil
        giveUpSlot(transfer)
        transfer.phase = .idle
    }

    private func recycle(_ attempt: NetworkAttempt) {
        // A handle whose request has failed or was sent again may keep that a stream was refused. libcurl would then
        // send a later request again that was lost.
        let isClean = attempt.discardBacklog() && attempt.sending.hasSucceeded && attempt.sending.count < 2
        guard let easy = attempt.detach() else { return }
        pausedStreams[easy.pointer] = nil
        multi.remove(easy)
        active[easy.pointer] = nil
        if isClean, idleHandles.count < Self.maximumIdleHandles, easy.reset(isReusable: !runtime.hasDanglingHeaders) {
            idleHandles.append(easy)
        }
    }

    /// Leaves a lookup to itself, since taking its handle back would block; the attempt may not connect then.
    ///
    /// With a resolver over HTTPS, there is no lookup of the system to wait for, unless it is for the resolver itself.
    package func abandonLookup(of attempt: NetworkAttempt) {
        if let network = try? settings.network.get(), network.resolver != nil, !network.asksSystemForResolver { return }
        attempt.transfer?.attempt = nil
        attempt.abandon()
    }

    /// Frees the slot of a transfer that does not use its connection for now, so that others can start.
    package func giveUpSlot(_ transfer: Transfer) { admission.leave(transfer) }

    /// Acquires a slot for a transfer that is resumed: it still has its connection, so no slot needs to be free.
    package func retakeSlot(_ transfer: Transfer) {
        if transfer.phase == .running { admission.readmit(transfer) }
    }

    // MARK: - Waiting without a handle

    /// Keeps a transfer while its receiver waits for something, or until its next attempt begins.
    ///
    /// Its deadlines continue, except the deadline of inactivity if there is a time.
    package func wait(_ transfer: Transfer, until retryTime: MonotonicTime? = nil) {
        deadlines.waiting[ObjectIdentifier(transfer)] = transfer
        transfer.phase = .waiting
        transfer.clock.retryTime = retryTime
        if !transfer.isSuspended { transfer.clock.start(at: .now()) }
        watch(transfer)
    }

    /// Ends the wait, and returns whether the transfer has been waiting.
    @discardableResult
    package func endWait(_ transfer: Transfer) -> Bool {
        guard deadlines.waiting.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return false }
        transfer.clock.stop(at: .now())
        transfer.clock.retryTime = nil
        transfer.phase = .idle
        return true
    }

    // MARK: - Backlogs

    /// Remembers which streams libcurl stores bytes for.
    func notePause(of attempt: NetworkAttempt) {
        guard let pointer = attempt.easy?.pointer else { return }
        pausedStreams[pointer] = attempt.isReceivingPaused ? attempt : nil
    }

    /// Abandons the largest paused streams if they hold more than the limit.
    ///
    /// They are counted in each turn, and also if there is only one: while other streams keep its connection going, it
    /// gets more than the 32 MiB of its window. libcurl ends a stream that holds more than 64 MiB.
    private func limitBacklogs() {
        guard !pausedStreams.isEmpty else { return }
        let limit = pausedStreams.count > 1 ? Self.backlogLimit : Self.maximumBacklog
        let backlogs = pausedStreams.values.map { (attempt: $0, size: $0.backlog) }
        var total = backlogs.reduce(0) { $0 + $1.size }
        guard total > limit else { return }
        for (attempt, size) in backlogs.sorted(by: { $0.size > $1.size })
        where attempt.transfer?.receiver?.detach() == true {
            total -= size
            if total <= limit { return }
        }
    }

    // MARK: - Deadlines

    /// Notes that a transfer has begun, for the deadline of its call.
    package func noteStart(of transfer: Transfer) {
        guard transfer.clock.limits.hasCall else { return }
        deadlines.calls[ObjectIdentifier(transfer)] = transfer
        if !transfer.isSuspended { transfer.clock.startCall(at: .now()) }
        watch(transfer)
    }

    package func forgetDeadline(_ transfer: Transfer) { deadlines.calls[ObjectIdentifier(transfer)] = nil }

    /// Makes sure that the next deadline of a transfer is checked in time.
    package func watch(_ transfer: Transfer) {
        if let deadline = transfer.clock.next()?.time { deadlines.watch(deadline) }
    }

    /// Makes sure that there is a turn when a request may begin that waits for a time, or bytes may move again.
    private func watchPace() {
        if let time = admission.nextTime { deadlines.watch(time) }
        if let time = limited.time { deadlines.watch(time) }
    }

    private func expire() {
        guard deadlines.next != nil else { return }
        let now = MonotonicTime.now()
        guard deadlines.takeDue(at: now) else { return }
        let withoutHandle = Array(deadlines.waiting.values) + Array(deadlines.calls.values)
        for transfer in active.values.compactMap(\.transfer) + withoutHandle {
            guard let receiver = transfer.receiver, let next = transfer.clock.next() else { continue }
            if next.time <= now { receiver.handle(.deadline(next.deadline)) } else { watch(transfer) }
        }
        deadlines.noteCheck(from: now, to: .now())
    }

    package func milliseconds(until time: MonotonicTime) -> Int32 {
        Int32(min(time.since(.now()).nanoseconds / 1_000_000 + 1, UInt64(Self.longest)))
    }
}
