/// Turns the engine's reports into events of the call.
extension CallDriver: TransferReceiver {
    func start(priority: Float) {
        transfer.priority = priority
        // The task may have been cancelled before it could start.
        guard client != nil else { return }
        transfer.receiver = self
        followSuspension()
        engine.noteStart(of: transfer)
        send(.begin)
    }

    func setUp(_ attempt: NetworkAttempt) throws(URLError) -> AttemptSetup {
        if let error = call.refusalAfterWait(at: now) { throw error }
        let conditions = cache.fields(for: attempt.prepared, settings.cachePolicy(of: call.request.base))
        return call.setUp(attempt.prepared, conditions: conditions, in: self)
    }

    func makeReader(announcedLength: Int64?) throws(URLError) -> any BodyReader {
        if case .delegateStream = call.content, let reader = transfer.reader, hasUnreadStream { return reader }
        transfer.reader?.close()
        let (content, url) = (call.content, call.request.url)
        call.noteBodyIsRead()
        switch content {
        case .none, .delegateStream: return DataReader(Data())
        case .data(let data): return DataReader(data)
        case .file(let file): return try FileReader(file)
        case .stream(let box):
            let length = announcedLength.flatMap { ByteCount($0) }
            return StreamPump(box, length: length, url: url) { [self] in wakeForBody() }
        case .made(let made):
            let length = made.length(announced: announcedLength)
            return MadeBodyReader(made, length: length, url: url) { [self] in wakeForBody() }
        }
    }

    private func wakeForBody() { engine.submit(.run { [self] in bodyAvailable() }) }

    func forgetChallenge() -> Bool { call.forgetUnaskedHeld() }

    func didReceiveHead(_ head: ResponseHead, of attempt: NetworkAttempt) -> Bool {
        if head.value("Set-Cookie") != nil { settings.cookies?.store(head.fields, for: call.request.base) }
        if attempt.isVerified { settings.hsts?.note(head.fields, from: attempt.prepared.origin.host) }
        attempt.noteAnnouncement(head, engine)
        holdOrigin(head)
        let verdict = cache.compare(head, method: call.request.method, url: call.request.url) {
            call.sentCredential(attempt)
        }
        let facts = HeadFacts(
            head: head,
            verdict: verdict,
            challenge: attempt.challenge(of: head),
            expectsContinue: attempt.prepared.expectsContinue,
            isForwarded: attempt.isForwarded,
            isBodyUnread: attempt.isBodyUnread
        )
        send(.head(facts))
        // libcurl may answer a challenge itself, and the same body follows.
        if attempt.prepared.isUpgrade, !call.isAnsweredByCurl { noteResponse(head.status, toUpgradeBy: attempt) }
        return !call.incoming.isStopped
    }

    private func noteResponse(_ status: Int, toUpgradeBy attempt: NetworkAttempt) {
        if status == 101, !call.incoming.isStopped {
            transfer.clock.noteUpgrade()
            if !transfer.clock.limits.hasCall { engine.forgetDeadline(transfer) }
            attempt.forgetFields()
        } else {
            // The server has not switched protocols, so nothing is sent after the request.
            (transfer.reader as? MadeBodyReader)?.finish()
        }
    }

    /// Delays the requests to the origin if the response asks for that, and the session's limits allow it.
    private func holdOrigin(_ head: ResponseHead) {
        guard let limits = engine.settings.limits, let origin = transfer.origin else { return }
        if let delay = limits.delay(status: head.status, now: Date.current, value: head.value) {
            engine.admission.noteRefusal(by: origin, status: head.status, seconds: delay)
        } else {
            engine.admission.noteService(by: origin)
        }
    }

    func handle(_ event: TransferEvent) {
        switch event {
        case .sends(let bodyLength): reportRequest(bodyLength: bodyLength)
        case .hasSent(let count, let expected): client?.receive(.event(.sent(count, expected: expected)))
        case .hasRewoundBody: client?.receive(.event(.rewound))
        case .hasInterimResponse(let head): reportInterimResponse(head)
        case .refusesHead(let refusal): call.refuse(refusal)
        case .willFail(let error): call.incoming.failure = error
        case .bodyHasFailed(let error): call.incoming.bodyError = error
        case .cannotBegin(let error): send(.failed(error))
        case .hasEnded(let code): attemptEnded(code)
        case .deadline(let deadline): expire(deadline)
        case .mustWait: postpone()
        case .hasTurn: continuePostponed()
        case .mayMove: goOn()
        case .trust(let question, let decision):
            guard client != nil else { return }
            transfer.decidedTrust[question] = decision
            send(.trustDecided)
        }
    }

    func reportRequest(bodyLength: ByteCount?) {
        let added = settings.additionalHeaders(hasLeftOrigin: call.redirects.hasLeftOrigin)
        let request = CurrentRequest(call.request.base, replacements: call.request.fields, additions: added)
        client?.receive(.sends(request, bodyLength: bodyLength))
    }

    private func reportInterimResponse(_ head: ResponseHead) {
        guard let client, client.wantsInterimResponses, let url = call.request.url else { return }
        guard let response = CurlHTTPResponse(url: url, head: head, isDecoded: false) else { return }
        client.receive(.event(.interim(response)))
    }

    func attemptEnded(_ code: Int32) {
        guard let attempt = transfer.attempt else { return }
        if let deadline = attempt.missedDeadline(code) { return expire(deadline) }
        let (hasResponse, isOwn) = (call.response != nil, call.incoming.failure != nil)
        let end = attempt.end(code, hasResponse: hasResponse, hasOpenEnd: call.hasOpenEnd, isOwn: isOwn)
        send(.attemptEnded(end))
    }

    /// Handles a deadline that has passed, unless the upload has made progress that only the system sees.
    private func expire(_ deadline: TransferClock.Deadline) {
        if deadline == .inactivity, transfer.reader != nil, let time = transfer.attempt?.progress() {
            transfer.clock.noteActivity(at: time)
            if let next = transfer.clock.next(), next.time > .now() { return engine.watch(transfer) }
        }
        if deadline == .retry { return send(.delayed) }
        transfer.attempt?.noteTimeoutOfConnection(deadline, transfer.clock.limits.inactivity)
        if call.response == nil { transfer.attempt?.noteFailure(engine) }
        send(.deadline(deadline))
    }

    func detach() -> Bool {
        send(.mayDetach)
        return call.stage == .detached
    }
}

/// The state of the driver that the call reads.
extension CallDriver: CallSurroundings {
    var now: MonotonicTime { .now() }
    var random: Double { .random(in: 0...1) }
    var isRunning: Bool { transfer.phase == .running }
    var isParkedInQueue: Bool { transfer.phase == .parked }
    var limits: TransferClock.Limits { transfer.clock.limits }
    var isCallOver: Bool { transfer.clock.isCallOver(at: engine.turnStart) }
    var timeLeft: Double? { transfer.clock.timeLeft(at: .now()) }
    var mayReceive: Bool { transfer.pauses.isDisjoint(with: [.suspended, .clientIsFull, .limited]) }
    var wasSent: Bool { transfer.attempt.map { $0.sending.count > 0 } ?? false }

    var decoding: Decoding {
        guard let decoder else { return .none }
        return decoder.isDrained ? .drained(mayEnd: decoder.mayEnd) : .waiting
    }

    var hasReader: Bool { transfer.reader != nil }

    var hasUnreadStream: Bool {
        guard let reader = transfer.reader, reader is StreamPump || reader is MadeBodyReader else { return false }
        return reader.rewind()
    }

    var unreadBody: MadeBody? { hasUnreadStream ? (transfer.reader as? MadeBodyReader)?.body : nil }
    var mayRestartBody: Bool { file != nil || client?.deliversAtEnd ?? false }
    var proxy: ProxyServer? { transfer.attempt?.route.proxy }
    var isProxyCertain: Bool { transfer.attempt?.route.isProxyCertain ?? false }
    var acceptedCredentials: AcceptedCredentials { group.acceptedCredentials }
    func staleResponse(insteadOf code: URLError.Code?) -> LocalResponse? { cache.staleResponse(insteadOf: code) }
    func hasRetry(for key: RetryBudgets.Key) -> Bool { group.retryBudgets.hasRetry(for: key, at: .now()) }
    func charge(_ key: RetryBudgets.Key) { group.retryBudgets.charge(key, at: .now()) }
}
