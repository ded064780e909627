/// Performs what a ``Call`` decides: I/O, timers and callbacks.
///
/// Whatever happens becomes an event of the call, which returns the steps that follow.
///
/// `@unchecked Sendable`: a task makes it and hands it to the engine with the first command; from then on only the
/// thread that has the engine touches it.
final class CallDriver: @unchecked Sendable {
    /// The engine's part of the call.
    let transfer: Transfer
    /// The state that the calls of the session share.
    let group: CallGroup
    /// The task; `nil` as soon as the call is over.
    @exclusivity(unchecked) var client: (any CallClient)? {
        didSet { if client == nil { transfer.receiver = nil } }
    }
    // Checking for overlapping accesses takes 10,000 instructions for a request. There are none: only the engine's
    // thread uses these properties, and what a call asks about while it handles an event does not read the call.
    @exclusivity(unchecked) var call: Call
    @exclusivity(unchecked) var cache: CacheUse
    /// The file that the body of the response goes to; otherwise the client has it.
    @exclusivity(unchecked) var file: DownloadFile?
    @exclusivity(unchecked) var decoder: ContentDecoderChain?
    /// Whether the rest of what was received waits for a later turn of the engine.
    @exclusivity(unchecked) var isPostponed = false
    /// The body that is delivered without the network.
    @exclusivity(unchecked) var localBody: CacheBodyReader?
    /// The transfer of this call that others with the same request wait for.
    @exclusivity(unchecked) var shared: SharedTransfer?
    /// Whether the call waits for no other, since the response has turned out to be for one call alone.
    @exclusivity(unchecked) var isUnshareable = false
    /// The steps that are being taken; one array for all events saves allocations.
    @exclusivity(unchecked) private var steps: [CallStep] = []
    /// The Swift task in which interceptors are asked.
    var question: Task<Void, Never>?

    init(
        _ engine: TransferEngine,
        _ group: CallGroup,
        _ call: Call,
        file: DownloadFile? = nil,
        client: any CallClient,
        limits: TransferClock.Limits
    ) {
        transfer = Transfer(engine, limits: limits)
        self.group = group
        self.client = client
        self.call = call
        cache = CacheUse(group.settings)
        steps.reserveCapacity(8)
        guard call.isDownload else { return }
        self.file = file ?? DownloadFile(in: group.settings.temporaryDirectory, for: call.request.url)
    }

    var engine: TransferEngine { transfer.engine }
    var settings: CurlSessionSettings { group.settings }

    /// Passes an event to the call, and performs the steps that follow.
    func send(_ event: CallEvent) {
        guard client != nil else { return }
        let start = steps.count
        call.handle(event, in: self, into: &steps)
        // A step may be an event itself, whose steps are appended and removed meanwhile, and which may end the call.
        do throws(URLError) {
            for index in start..<steps.count where client != nil { try carryOut(steps[index]) }
            steps.removeSubrange(start...)
        } catch {
            steps.removeSubrange(start...)
            // A handle must not be taken from libcurl within its callback.
            if isRunning { call.noteFailureOfRestart(error) } else { send(.failed(error)) }
        }
    }

    /// Performs a step; throws an error if the received part of the body cannot be removed.
    private func carryOut(_ step: CallStep) throws(URLError) {
        switch step {
        case .forgetResponse: forgetResponse()
        case .attempt(let attempt): use(attempt)
        case .verify(let origin): verify(origin)
        case .lookUp: lookUp()
        case .join: send(mustWaitForIdenticalRequest() ? .mustWaitForIdenticalRequest : .isFirst)
        case .admit(let origin, let isNamedByTask):
            engine.admission.admit(transfer, to: origin, isNamedByTask: isNamedByTask)
        case .wait: if transfer.phase == .idle { engine.wait(transfer) }
        case .ask(let number, let answer):
            if isRunning { engine.giveUpSlot(transfer) } else { engine.wait(transfer) }
            ask(number, answer)
        case .waitForRetry(let delay): engine.wait(transfer, until: MonotonicTime.now().advanced(by: delay))
        case .endWait: engine.endWait(transfer)
        case .giveUpSlot: engine.giveUpSlot(transfer)
        case .retakeSlot: engine.retakeSlot(transfer)
        case .startClock: if isRunning || transfer.phase == .waiting { transfer.clock.start(at: .now()) }
        case .stopClock: transfer.clock.stop(at: .now())
        case .decode(let codings): decoder = ContentDecoderChain(codings, limits: settings.options.decodingLimits)
        case .deliver(let response): deliver(response)
        case .report(let report): client?.receive(report)
        case .take(let bytes): if !bytes.withUnsafeBytes({ take($0) }) { call.incoming.isStopped = true }
        case .replay(let body, let failure): replay(body, failure)
        case .restartBody: try restartBody()
        case .setClientFull(let isFull): setClientFull(isFull)
        // libcurl may be delivering the body just now, and the attempt may be ended.
        case .authenticateLater(let disposition, let credential): perform(.authenticate(disposition, credential))
        case .considerResponseLater: engine.submit(.run { [self] in send(.considersResponse) })
        case .noteRequest(let key): group.retryBudgets.noteRequest(to: key, at: .now())
        case .keepCredential(let party): group.acceptedCredentials.keep(party)
        case .forgetCredential(let credential, let use): group.acceptedCredentials.forget(credential, for: use)
        case .beginServing(let local): beginServing(local)
        case .feed(let local):
            localBody =
                call.request.method == "HEAD"
                ? CacheBodyReader(.data(Data())) : CacheBodyReader(local.body, part: local.part)
            feed()
        case .serveValidated: serveValidated()
        case .bypassCache: cache.isBypassed = true
        case .beginStoring(let head, let isDecoded, let isRedirect):
            beginStoring(head, isDecoded: isDecoded, isRedirect: isRedirect)
        case .storeRedirect: cache.storeRedirect(body: call.held?.body ?? [])
        case .beginSharing(let head, let isDecoded): beginSharing(head, isDecoded: isDecoded)
        case .shareResponse: shareResponse()
        case .endSharing(let end): endSharing(end)
        case .noteUnsafeRequest(let origin):
            if !group.sharedTransfers.isEmpty {
                group.sharedTransfers = group.sharedTransfers.filter { $0.key.origin != origin }
            }
        case .endAttempt(let isOver): endAttempt(isOver: isOver)
        case .finish: finish()
        case .fail(let error): complete(with: error)
        case .close: close()
        }
    }

    // MARK: - The beginning of an attempt

    func forgetResponse() {
        (decoder, isPostponed, localBody) = (nil, false, nil)
        if transfer.phase == .parked { transfer.phase = .idle }
    }

    private func use(_ attempt: NetworkAttempt) {
        transfer.attempt = attempt
        // Interceptors, and the delegate of a redirect, may have set another timeout.
        let limit = settings.inactivityLimit(of: call.request.base)
        if call.content.isUpgrade {
            transfer.clock.limits.upgrade = limit
        } else {
            transfer.clock.limits.inactivity = limit
        }
    }

    private func lookUp() {
        guard let attempt = cacheAttempt else { return send(.lookedUp(.network)) }
        let (answer, revalidates) = cache.lookUp(attempt)
        if revalidates, let client, let key = cache.context?.key {
            group.revalidate(call, key: key, like: transfer, for: client)
        }
        send(.lookedUp(answer))
    }

    // MARK: - Questions to the program's trust policy and interceptors, none of which is asked on the engine's thread

    /// Finds out what libcurl verifies for a host, which may take a question to the policy.
    private func verify(_ origin: Origin) {
        let current = engine.trust.use()
        guard let policy = current.policy, !(policy is any ImmediateTrustPolicy),
            engine.trust.verification(for: origin.host, revision: current.revision) == nil
        else { return send(.verified) }
        engine.wait(transfer)
        engine.trust.questions.run { [self] in
            let verification = policy.verification(for: origin.host)
            engine.trust.note(verification, for: origin.host, revision: current.revision)
            engine.submit(
                .run { [self] in
                    if call.stage == .preparing, engine.endWait(transfer) { verify(origin) }
                }
            )
        }
    }

    /// Asks interceptors in a Swift task.
    private func ask(_ number: Int, _ answer: @escaping @Sendable () async -> InterceptorAnswer) {
        stopAsking()
        question = Task { [weak self] in
            let answer = await answer()
            guard let self else { return }
            engine.submit(.run { [self] in send(.answered(number, answer)) })
        }
    }

    private func stopAsking() {
        guard let task = question else { return }
        question = nil
        // Not on this thread, since cancellation handlers are user code.
        Task.detached { task.cancel() }
    }

    // MARK: - The end

    /// Releases the attempt's handle; `isOver` indicates that libcurl has ended the attempt.
    private func endAttempt(isOver: Bool) {
        transfer.clock.stop(at: .now())
        transfer.clock.forgetConnecting()
        let attempt = transfer.attempt
        if let attempt, let transaction = attempt.takeTransaction(isOver: isOver) {
            client?.receive(transaction)
        }
        if !isOver, let attempt, attempt.stage == .resolving { engine.abandonLookup(of: attempt) }
        engine.release(transfer)
    }

    private func finish() {
        let finished = file
        do throws(URLError) { try finished?.finish() } catch { return complete(with: error) }
        file = nil
        if let trailers = transfer.attempt?.trailers, !trailers.isEmpty { call.response?.add(trailers) }
        let client = client
        if let response = call.response, let candidate = cache.finish(response) { client?.receive(.stores(candidate)) }
        close()
        client?.receive(.finished(nil, file: finished))
    }

    private func complete(with error: any Error) {
        let client = client
        let failure = failure(error, resumeData: makeResumeData())
        close()
        client?.receive(.finished(failure, file: nil))
    }

    private func failure(_ error: any Error, resumeData: Data?) -> any Error {
        guard let resumeData else { return error }
        if let error = error as? URLError { return error.withResumeData(resumeData) }
        let text = "The download was ended: \(error.localizedDescription)"
        return URLError.ferry(.unknown, url: call.request.url, text, underlying: error).withResumeData(resumeData)
    }

    /// Closes the partial file and describes it, if it can be continued; the file stays for that.
    func makeResumeData() -> Data? {
        // A full disk does not affect the bytes that a continued file had before.
        guard client != nil, let file, !file.hasFailed || file.isResumed,
            file.size == call.rest.received,
            let data = call.resumeData(for: file.url)?.encoded()
        else { return nil }
        file.keep()
        self.file = nil
        return data
    }

    /// Ends the call without a report to the client.
    private func close() {
        client = nil
        transfer.reader?.close()
        transfer.reader = nil
        file?.remove()
        engine.forgetDeadline(transfer)
        stopAsking()
        transfer.attempt = nil
        decoder = nil
        localBody = nil
        cache.leave()
    }
}
