/// What the engine keeps of an exchange.
extension Exchange {
    var engine: TransferEngine { transfer.engine }
    var settings: ExchangeSettings { group.settings }
    var isSuspended: Bool { transfer.isSuspended }

    var clock: TransferClock {
        _read { yield transfer.clock }
        _modify { yield &transfer.clock }
    }

    var phase: Transfer.Phase {
        get { transfer.phase }
        set { transfer.phase = newValue }
    }

    var pauses: PauseReasons {
        get { transfer.pauses }
        set { transfer.pauses = newValue }
    }

    var attempt: NetworkAttempt? {
        get { transfer.attempt }
        set { transfer.attempt = newValue }
    }

    var reader: (any BodyReader)? {
        get { transfer.reader }
        set { transfer.reader = newValue }
    }

    func setPause(_ reason: PauseReasons, _ isPaused: Bool) { transfer.setPause(reason, isPaused) }
    func removeLocalPauses() { transfer.removeLocalPauses() }
}

/// The events of the engine.
extension Exchange: TransferReceiver {
    func start(priority: Float) {
        transfer.priority = priority
        // The task may have been cancelled before it could start.
        if client != nil { transfer.receiver = self }
        followSuspension()
        if client != nil { engine.noteStart(of: transfer) }
        start()
    }

    /// Begins an attempt, now or when its origin has a connection slot for it.
    func start() {
        guard client != nil else { return }
        incoming = IncomingResponse()
        withdrawStreamQuestions()
        phase = isSuspended ? .parked : .idle
        guard !isSuspended else { return }
        if clock.isCallOver(at: engine.turnStart) { return expire(.call) }
        guard !mustWaitForInterceptors(), let origin = prepare() else { return }
        noteRequest(to: origin)
        noteUnsafeRequest(to: origin)
        if mustWaitForVerification(of: origin) || consultCache() || mustWaitForIdenticalRequest() { return }
        engine.admission.admit(transfer, to: origin, isNamedByTask: !redirects.hasLeftOrigin)
    }

    func setUp(_ attempt: NetworkAttempt) -> AttemptSetup {
        forgetOtherProxy()
        let (fields, commonCount) = fields(of: attempt.prepared)
        return AttemptSetup(
            fields: fields,
            commonCount: commonCount,
            credentials: (credential(isProxy: false), credential(isProxy: true)),
            usesNewConnection: repetition.reconnections > 0
        )
    }

    func forgetChallenge() -> Bool {
        guard incoming.question?.isAsked == false else { return false }
        incoming.question = nil
        return true
    }

    func handle(_ event: TransferEvent) {
        switch event {
        case .sends(let bodyLength): reportRequest(bodyLength: bodyLength)
        case .hasSent(let count, let expected): client?.exchange(didSend: count, expected: expected)
        case .hasRewoundBody: client?.exchangeDidRewindBody()
        case .hasInterimResponse(let head): reportInterimResponse(head)
        case .refusesHead(let refusal): refuse(refusal)
        case .willFail(let error): incoming.failure = error
        case .bodyHasFailed(let error): incoming.bodyError = error
        case .cannotBegin(let error): fail(error)
        case .hasEnded(let code): attemptEnded(code)
        case .deadline(let deadline): expire(deadline)
        case .mustWait: postpone()
        case .hasTurn: continuePostponed()
        case .mayMove: move()
        case .trust(let question, let decision): continueAfterTrust(question, decision)
        }
    }
}
