/// The end of an attempt, and of the call after its last attempt.
extension Call {
    mutating func attemptEnded(_ end: AttemptEnd, _ world: some CallSurroundings) {
        guard stage == .attempting else { return }
        if let error = end.notRepeated, incoming.failure == nil, held == nil { incoming.failure = error }
        let tunnel = tunnelQuestion(end, world)
        let next = next(after: end, asksForTunnel: tunnel != nil, world)
        // Neither an unusable connection nor an error of the program's body is a failure of the server.
        let isOwn = incoming.failure != nil || incoming.bodyError != nil
        if end.code != 0, !isOwn, next != .again(.onNewConnection), next != .waitForTrust {
            circuit.note(.failure, at: world.now)
        }
        endAttempt(isOver: true, world)
        if let error = incoming.bodyError {
            emit(.endSharing(.abandoned))
            return self.end(with: error, world)
        }
        follow(next, end, tunnel, world)
    }

    private mutating func follow(
        _ next: Next,
        _ end: AttemptEnd,
        _ tunnel: HeldResponse?,
        _ world: some CallSurroundings
    ) {
        let wasSent = end.sends > 0
        var error = incoming.failure ?? end.failure
        if next == .fail(.noResponse) {
            error = .ferry(.networkConnectionLost, url: request.url, "The server closed without a response")
        }
        endSharing(before: next, error, wasSent: wasSent, world)
        switch next {
        case .serveValidated: emit(.serveValidated)
        case .serveStale:
            guard let local = world.staleResponse(insteadOf: nil) else { return fail(attemptError, world) }
            serve(local, world)
        case .ask:
            if let error, let held, held.isSuccess, !held.isAsked, incoming.failure == nil,
                wouldRetry(after: error, wasSent: wasSent, world)
            {
                self.held = nil
                return recover(from: error, wasSent: wasSent, world)
            }
            held?.failure = error
            incoming.hasEnded = true
            if case .redirect = held?.kind, error == nil, world.decoding.isWhole { emit(.storeRedirect) }
            askAboutHeld(world)
            // The question was asked before the attempt ended: the deadlines continue while an interceptor decides.
            if attempts?.isAsking == true { emit(.wait) }
        case .askForTunnel:
            held = tunnel
            held?.failure = end.failure
            incoming.hasEnded = true
            askAboutHeld(world)
        case .waitForTrust:
            reconnections += 1
            // The decision may have come already.
            if end.trust == .decided { return begin(world) }
            stage = .waitingForTrust
            emit(.wait)
        case .again(let again): sendAgain(again, world)
        case .finish:
            incoming.hasEnded = true
            finishIfDrained(world)
        case .fail: recover(from: error ?? attemptError, wasSent: wasSent, world)
        }
    }

    /// Ends the wait of the calls with the same request, before what follows the end of the attempt.
    ///
    /// Each of them then goes on by itself, since the next attempt may send another request. They continue to wait for
    /// a response that is being delivered, and for the same request on a new connection.
    private mutating func endSharing(
        before next: Next,
        _ error: URLError?,
        wasSent: Bool,
        _ world: some CallSurroundings
    ) {
        switch next {
        case .finish, .waitForTrust, .again(.onNewConnection): break
        case .ask where error == nil && world.decoding.isWhole: emit(.shareResponse)
        case .fail(.transport), .fail(.noResponse):
            emit(.endSharing(error.map { .failure($0, wasSent: wasSent) } ?? .unshareable))
        case .ask, .askForTunnel, .again, .fail(.own), .serveValidated, .serveStale: emit(.endSharing(.unshareable))
        }
    }

    /// Returns the proxy's challenge as a held response, if the proxy asks for a credential before it opens a tunnel.
    private mutating func tunnelQuestion(_ end: AttemptEnd, _ world: some CallSurroundings) -> HeldResponse? {
        guard let tunnel = end.tunnel, let challenge = acceptable(tunnel.challenge, world) else { return nil }
        return HeldResponse(response: tunnel.response, kind: .challenge(challenge), isTunnel: true)
    }

    private mutating func sendAgain(_ again: Again, _ world: some CallSurroundings) {
        switch again {
        case .withoutConditions: emit(.bypassCache)
        case .fromStart: rest.startOver()
        case .withoutCredential: return sendWithoutCredential(world)
        case .withNewBody:
            reconnections += 1
            return sendAgain(world)
        case .withoutExpectation:
            dropsExpectation = true
            return sendAgain(world)
        case .onNewConnection:
            if !isSuspended { reconnections += 1 }
            if !content.isNone { tell(.rewound) }
        case .forRest: rest.request(usesSuspension: true)
        }
        begin(world)
    }

    /// Ends the attempt, if it has not ended yet, and begins another with the same body from its first byte.
    mutating func sendAgain(_ world: some CallSurroundings) {
        endAttempt(world)
        tell(.rewound)
        begin(world)
    }

    /// Releases the attempt's handle; `isOver` indicates that libcurl has ended the attempt.
    mutating func endAttempt(isOver: Bool = false, _ world: some CallSurroundings) {
        circuit.note(.unknown, at: world.now)
        if !isOver { emit(.endSharing(.unshareable)) }
        // The request of the next attempt is adapted again.
        attempts?.isAdapted = false
        emit(.endAttempt(isOver: isOver))
        stage = .idle
    }

    // MARK: - The body

    /// Completes the call if the attempt has ended and the client has taken all of the body.
    mutating func finishIfDrained(_ world: some CallSurroundings) {
        guard incoming.hasEnded, world.decoding.isDrained, held == nil, attempts?.isDeciding != true else { return }
        var error: URLError?
        if world.decoding == .drained(mayEnd: false) {
            error = codingError(.incompleteContentCoding, "ended early")
        } else if let end = incoming.rangeEnd, rest.received != end {
            let text = "The server's range was to end at byte \(end), and the body has \(rest.received) bytes"
            error = .ferry(.networkConnectionLost, url: request.url, reason: .cannotContinue, text)
        }
        guard let error else { return finish(world) }
        incoming.failure = error
        failBody(world)
    }

    func codingError(_ reason: CurlSessionError.Code, _ what: String) -> URLError {
        .ferry(.cannotDecodeContentData, url: request.url, reason: reason, "The response's content coding \(what)")
    }

    /// Ends the attempt because of an error in its body that was found outside of libcurl's callbacks.
    mutating func failBody(_ world: some CallSurroundings) {
        guard held == nil else { return failBodyOfHeld(world) }
        let (error, wasSent) = (attemptError, world.wasSent)
        endAttempt(world)
        recover(from: error, wasSent: wasSent, world)
    }

    /// Asks what to do with a held response whose body is damaged, which matters only if it is delivered.
    private mutating func failBodyOfHeld(_ world: some CallSurroundings) {
        let error = attemptError
        held?.failure = error
        // If the attempt has ended already, the call may wait for a decision about the response.
        if world.isRunning { endAttempt(world) }
        incoming.hasEnded = true
        askAboutHeld(world)
    }

    /// Removes what has been received, and returns whether the response can start again.
    mutating func discardBody(_ world: some CallSurroundings) -> Bool {
        guard world.mayRestartBody else { return false }
        emit(.restartBody)
        rest.received = .zero
        response = nil
        rest.startOver()
        return true
    }

    /// Asks the server instead of delivering the damaged rest of a stored body.
    ///
    /// The client's bytes are intact. They are discarded if the user has not received them; otherwise only the rest is
    /// requested, if the response has a validator and the request may be sent.
    mutating func recoverFromDamage(mayAsk: Bool, _ world: some CallSurroundings) {
        let delivered = response
        if discardBody(world) { return sendAgain(world) }
        rest.useValidator(of: delivered)
        guard mayAsk, validator != nil else {
            return fail(.ferry(.cannotDecodeRawData, url: request.url, "The stored response is damaged"), world)
        }
        rest.request(usesSuspension: false)
        sendAgain(world)
    }

    // MARK: - Deadlines

    mutating func expire(_ deadline: TransferClock.Deadline, _ world: some CallSurroundings) {
        let limits = world.limits
        let (reason, what, limit): (CurlSessionError.Code, String, TimeSpan) =
            switch deadline {
            case .inactivity: (.inactivityTimeout, "no byte moved for", limits.inactivity)
            case .resource: (.resourceTimeout, "the whole exchange took more than", limits.resource)
            case .connect: (.connectTimeout, "there was no connection after", limits.connect)
            case .call, .retry: (.deadlineExceeded, "the call took more than", limits.call)
            case .upgrade: (.deadlineExceeded, "the handshake took more than", limits.upgrade)
            }
        let text = "The request timed out: \(what) \(limit.seconds) s (\(request.url?.presentableText ?? ""))"
        let error = URLError.ferry(.timedOut, url: request.url, reason: reason, text)
        let isFinal = deadline == .call || deadline == .upgrade || (deadline == .resource && response != nil)
        if isFinal { emit(.report(.exceedsDeadline)) }
        if deadline == .call || deadline == .resource { emit(.endSharing(.abandoned)) }
        if world.isRunning, deadline != .retry { circuit.note(.failure, at: world.now) }
        guard world.isRunning, deadline == .inactivity || deadline == .connect else {
            // There is no time to deliver a stored response either.
            return fail(error, mayServeStale: deadline != .call, world)
        }
        if let held, held.isSuccess, !held.isAsked, wouldRetry(after: error, wasSent: world.wasSent, world) {
            self.held = nil
        }
        if let held, !held.isAsked, !isAnsweredByCurl {
            // The response is known already; only its body is missing.
            endAttempt(world)
            self.held?.failure = error
            incoming.hasEnded = true
            return askAboutHeld(world)
        }
        let wasSent = world.wasSent
        // The call does not end with a held response whose body does not come.
        held = nil
        emit(.endSharing(.failure(error, wasSent: wasSent)))
        endAttempt(world)
        recover(from: error, wasSent: wasSent, world)
    }

    /// Whether the response that is held is a challenge that libcurl answers itself after its body, with the credential
    /// it was given.
    var isAnsweredByCurl: Bool {
        guard case .challenge(let challenge)? = held?.kind else { return false }
        return credentials.sent(isProxy: challenge.isProxy).map { $0.scheme != .basic } ?? false
    }

    // MARK: - The end

    var attemptError: URLError {
        incoming.failure ?? .ferry(.unknown, url: request.url, "The transfer ended too early, for an unknown reason")
    }

    /// Ends the call with an error, or with a stored response in its place where that is allowed (RFC 5861, section 4).
    mutating func fail(
        _ error: URLError,
        note: String? = nil,
        mayServeStale: Bool = true,
        _ world: some CallSurroundings
    ) {
        chargeRetry(world)
        if mayServeStale, response == nil, held == nil, let local = world.staleResponse(insteadOf: error.code) {
            endAttempt(world)
            return serve(local, world)
        }
        end(.fail(attempts?.annotated(error, note: note, at: world.now) ?? error), world)
    }

    /// Ends the call with an error of an interceptor or of the code that makes the body.
    mutating func end(with error: any Error, _ world: some CallSurroundings) {
        if let error = error as? URLError { return fail(error, world) }
        end(.fail(error), world)
    }

    private mutating func finish(_ world: some CallSurroundings) {
        emit(.shareResponse)
        end(.finish, world)
    }

    mutating func cancel(_ world: some CallSurroundings) {
        emit(.endSharing(.abandoned))
        end(.close, world)
    }

    private mutating func end(_ step: CallStep, _ world: some CallSurroundings) {
        noteUnsafeRequest()
        endAttempt(world)
        emit(step)
        stage = .finished
    }
}
