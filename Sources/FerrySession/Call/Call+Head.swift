/// Decides what follows the head of a response.
extension Call {
    mutating func didReceiveHead(_ facts: HeadFacts, _ world: some CallSurroundings) {
        let head = facts.head
        // A challenge that libcurl answers itself may be followed by a refused connection, again and again.
        if head.status != 401, head.status != 407 { reconnections = 0 }
        circuit.noteStatus(head.status, at: world.now)
        // libcurl answers some challenges itself within the attempt; the response before this one does not count then.
        _ = forgetUnaskedHeld()
        if world.decoding != .none { emit(.decode([])) }
        // RFC 9110, section 10.1.1; libcurl sends the body without the expectation too.
        if head.status == 417, facts.expectsContinue, !content.isNone { return stop(.withoutExpectation) }
        if let verdict = facts.verdict { return follow(verdict, facts, world) }
        if let problem = head.framingProblem { return refuse(.malformed(problem)) }
        let codings = contentCodings(of: head)
        guard codings.count <= settings.options.decodingLimits.maximumCodings, let url = request.url else {
            return stop(tooLarge("The response has \(codings.count) content codings"))
        }
        let isDecoded = !codings.isEmpty
        let received = ReceivedResponse(head, url: url, isDecoded: isDecoded)
        if isDecoded { emit(.decode(codings)) }
        if let redirect = redirect(for: received, head) {
            let limit = settings.maximumRedirects
            guard redirects.count < limit else { return stop(.ferryTooManyRedirects(url: url, limit: limit)) }
            noteCredentials(facts, world)
            held = redirect
            emit(.beginSharing(head, isDecoded: isDecoded))
            emit(.beginStoring(head, isDecoded: isDecoded, isRedirect: true))
            if head.endsWithConnection, request.method != "HEAD" { askBeforeBody(world) }
            return
        }
        if endsProbe(facts) { return stop(.withoutCredential) }
        let mayAnswer = mayAnswer(head)
        let isAnswered = mayAnswer && isAnsweredByCurl(facts)
        if let challenge = acceptable(facts.challenge, isAnswered: isAnswered, world),
            let response = received.value as? HTTPURLResponse
        {
            // libcurl answers each nonce that the server calls stale; only ending the attempt stops it.
            emit(.endSharing(.unshareable))
            held = HeldResponse(response: response, kind: .challenge(challenge), isAbandoned: !mayAnswer)
            incoming.isStopped = !mayAnswer
            return
        }
        noteCredentials(facts, world)
        guard mayAnswer, !isAnswered else { return stop(.withoutCredential) }
        // A 416 says whether a body that is continued is complete.
        let isAboutRest = rest.offset != nil && (head.status < 300 || head.status == 416)
        if !isAboutRest, var failure = heldForRetry(received, head.status) {
            failure.head = head
            held = failure
            return emit(.beginSharing(head, isDecoded: isDecoded))
        }
        if let offset = rest.offset { return didContinue(received, head, isDecoded: isDecoded, at: offset, world) }
        deliver(received, isDecoded: isDecoded)
        // The connection no longer counts among those for requests.
        if head.status == 101 { emit(.giveUpSlot) }
        emit(.beginSharing(head, isDecoded: isDecoded))
        emit(.beginStoring(head, isDecoded: isDecoded, isRedirect: false))
    }

    // MARK: - Stopping

    /// Ends the attempt, so that the request is sent again in another way.
    private mutating func stop(_ again: Again) { (incoming.next, incoming.isStopped) = (.again(again), true) }

    mutating func stop(_ error: URLError) { (incoming.failure, incoming.isStopped) = (error, true) }

    /// Ends the attempt, since the response's head is not accepted.
    mutating func refuse(_ refusal: ResponseHeadParser.Refusal) {
        let url = request.url
        switch refusal {
        case .malformed(let text): stop(.ferry(.cannotParseResponse, url: url, reason: .malformedResponse, text))
        case .tooLarge(let text): stop(.ferry(.dataLengthExceedsMaximum, url: url, reason: .responseTooLarge, text))
        }
    }

    func tooLarge(_ text: String) -> URLError {
        .ferry(.cannotDecodeContentData, url: request.url, reason: .responseTooLarge, text)
    }

    // MARK: - Responses that lead to another request

    private mutating func follow(_ verdict: CacheVerdict, _ facts: HeadFacts, _ world: some CallSurroundings) {
        switch verdict {
        case .validated:
            noteCredentials(facts, world)
            incoming.next = .serveValidated
        case .withoutConditions: stop(.withoutConditions)
        case .servesStale: (incoming.next, incoming.isStopped) = (.serveStale, true)
        case .completes(let head, let beginning, let end):
            guard let url = request.url else { return stop(attemptError) }
            noteCredentials(facts, world)
            deliver(ReceivedResponse(head, url: url, isDecoded: false), isDecoded: false)
            emit(.beginStoring(head, isDecoded: false, isRedirect: false))
            incoming.rangeEnd = end
            emit(.take(beginning))
        }
    }

    private func redirect(for received: ReceivedResponse, _ head: ResponseHead) -> HeldResponse? {
        guard let location = head.location else { return nil }
        let next = RedirectRule.redirect(
            requestToRedirect,
            status: head.status,
            location: location,
            allowsDowngrade: settings.options.allowsInsecureRedirects,
            sensitiveHeaders: settings.sensitiveHeaders,
            upgrading: { [isUpgrade = content.isUpgrade, settings] target in
                let url = isUpgrade ? RedirectRule.handshakeURL(target) : target
                return settings.hsts?.upgraded(url) ?? url
            }
        )
        guard let next, let response = received.value as? HTTPURLResponse else { return nil }
        return HeldResponse(response: response, kind: .redirect(next.request, keepsBody: next.keepsBody))
    }

    /// Asks what to do with a redirect whose body ends with the connection, before the body has come.
    ///
    /// The connection carries no further request, and the server may keep it open for a long time.
    private mutating func askBeforeBody(_ world: some CallSurroundings) {
        emit(.setClientFull(true))
        emit(.endSharing(.unshareable))
        askAboutHeld(world)
    }

    /// Returns the request that a redirect changes: the one before the interceptors, at the URL that was requested.
    private var requestToRedirect: URLRequest {
        guard let attempts, attempts.settings.interceptors != nil else { return request.base }
        var base = attempts.base
        // If an interceptor has sent the request to another origin, fields that it has removed are not added again.
        // Those that it has added or changed are for that origin.
        if base.url?.hasSameOrigin(as: request.url) == false {
            var moved = request.complete
            for (name, value) in moved.allHTTPHeaderFields ?? [:] where base.value(forHTTPHeaderField: name) != value {
                moved.setValue(nil, forHTTPHeaderField: name)
            }
            return moved
        }
        base.url = request.url
        base.httpMethod = request.base.httpMethod
        return base
    }

    /// Returns the response to hold back while it is decided whether the request is sent again, if it may be.
    private func heldForRetry(_ received: ReceivedResponse, _ status: Int) -> HeldResponse? {
        guard let attempts, attempts.settings.concerns(status), let response = received.value as? HTTPURLResponse
        else { return nil }
        var held = HeldResponse(response: response, kind: .failure)
        held.limit = attempts.settings.interceptors?.heldBodyLimit ?? HeldResponse.bodyLimit
        return held
    }

    // MARK: - Challenges

    /// Counts the responses of an attempt that request a credential, and returns whether libcurl may respond to this
    /// one.
    private mutating func mayAnswer(_ head: ResponseHead) -> Bool {
        guard head.status == 401 || head.status == 407 else { return true }
        return incoming.challengeRounds.mayContinue(head, scheme: credentials.sent(isProxy: head.status == 407)?.scheme)
    }

    /// Whether libcurl may send another request after a response that asks for a credential.
    ///
    /// libcurl answers each challenge for the scheme of the credential, except Basic: also one that Ferry does not
    /// choose, and one of a tunnel's server that calls itself a proxy. The response is then not the final one.
    private func isAnsweredByCurl(_ facts: HeadFacts) -> Bool {
        let (status, isProxy) = (facts.head.status, facts.head.status == 407)
        guard status == 401 || isProxy, let sent = credentials.sent(isProxy: isProxy), sent.scheme != .basic else {
            return false
        }
        let challenges = AuthenticateField.parse(AuthenticationChallenge.values(facts.head))
        return challenges.contains { $0.scheme == sent.scheme.rawValue }
    }

    /// Whether the server accepts the request without a body that libcurl sends first for Digest and NTLM.
    ///
    /// libcurl then sends the request with its body, without the credential. A tunnel's proxy has accepted its own
    /// credential before.
    private func endsProbe(_ facts: HeadFacts) -> Bool {
        guard facts.head.status < 300, facts.isBodyUnread, incoming.challengeRounds.isUnused else { return false }
        let sent = [credentials.sent(isProxy: false), facts.isForwarded ? credentials.sent(isProxy: true) : nil]
        return sent.contains { $0?.scheme == .digest || $0?.scheme == .ntlm }
    }

    /// Returns a challenge, unless too many credentials were refused and libcurl has none left to answer it with.
    mutating func acceptable(
        _ challenge: AuthenticationChallenge?,
        isAnswered: Bool = false,
        _ world: some CallSurroundings
    ) -> AuthenticationChallenge? {
        guard let challenge else { return nil }
        if isAnswered || credentials[isProxy: challenge.isProxy].mayBeGiven { return challenge }
        forgetSent(isProxy: challenge.isProxy, world)
        return nil
    }

    /// Keeps credentials that were accepted, so that they are sent without a challenge, and forgets a refused one.
    ///
    /// A proxy's refusal says nothing about the credential for the server.
    private mutating func noteCredentials(_ facts: HeadFacts, _ world: some CallSurroundings) {
        let refusesServer = facts.head.status == 401
        // Through a tunnel, a 407 is not the proxy's.
        let refusesProxy = facts.head.status == 407 && facts.isForwarded
        if refusesServer || refusesProxy { forgetSent(isProxy: refusesProxy, world) }
        if refusesProxy { return }
        let parties = refusesServer ? [credentials.proxy] : [credentials.server, credentials.proxy]
        for party in parties where party.credential != nil && party.isKept { emit(.keepCredential(party)) }
    }

    // MARK: - Responses that are delivered

    /// Delivers a response as the final one; its body follows.
    mutating func deliver(_ received: ReceivedResponse, isDecoded: Bool) {
        response = received
        rest.begin(with: received, isDecoded: isDecoded, isSuspended: isSuspended)
        emit(.deliver(received))
    }

    /// Returns the content codings to undo; none where there is no body, or only a part of one.
    private func contentCodings(of head: ResponseHead) -> [ContentCoding] {
        guard settings.options.decodesContent, let value = head.listValue("Content-Encoding") else { return [] }
        guard ![101, 204, 206, 304].contains(head.status), request.method != "HEAD" else { return [] }
        return ContentCoding.parse(value) ?? []
    }

    /// Delivers a response that needs no network as one from the network would be.
    mutating func serve(_ local: LocalResponse, isFinal: Bool = false, _ world: some CallSurroundings) {
        (incoming, held) = (IncomingResponse(), nil)
        stage = .attempting
        emit(.beginServing(local))
        guard let url = request.url else { return fail(attemptError, world) }
        let received = ReceivedResponse(local.head, url: url, isDecoded: local.isDecoded)
        received.add(local.trailers)
        let failure = local.source == .cache ? nil : heldForRetry(received, local.head.status)
        if !isFinal, var question = redirect(for: received, local.head) ?? failure {
            if case .redirect = question.kind, redirects.count >= settings.maximumRedirects {
                return fail(.ferryTooManyRedirects(url: url, limit: settings.maximumRedirects), world)
            }
            if request.method != "HEAD", case .data(let data) = local.body { question.body = Array(data) }
            held = question
            incoming.hasEnded = true
            return askAboutHeld(world)
        }
        if local.source == .interceptor, response != nil || rest.isResuming, !discardBody(world) {
            return fail(cannotContinue(status: local.head.status), world)
        }
        deliver(received, isDecoded: true)
        emit(.feed(local))
    }

    // MARK: - The rest of a body

    /// Evaluates the response to a request for the rest.
    private mutating func didContinue(
        _ received: ReceivedResponse,
        _ head: ResponseHead,
        isDecoded: Bool,
        at offset: ByteCount,
        _ world: some CallSurroundings
    ) {
        let validator = validator
        let answer = ContinuationRule.evaluate(
            .init(status: head.status, value: head.value),
            .init(offset: offset, total: rest.expectedTotal, validator: validator)
        )
        switch answer {
        case .continues(let end):
            incoming.rangeEnd = end
            return deliverRest(received, at: offset)
        case .restarts:
            if world.mayRestartBody {
                emit(.restartBody)
                return deliver(received, isDecoded: isDecoded)
            }
            // The client has the head of the response before, which only the same body may follow.
            if offset == .zero, isSameEntity(received, validator) { return deliverRest(received, at: offset) }
        case .isComplete: return finishComplete(head)
        case .isAnother:
            if world.mayRestartBody {
                stop(.fromStart)
                rest.received = .zero
                return emit(.restartBody)
            }
        case .fails: break
        }
        stop(cannotContinue(status: head.status))
    }

    /// Whether a complete response has the validator and the length of the response that is continued.
    private func isSameEntity(_ received: ReceivedResponse, _ validator: String?) -> Bool {
        guard let validator, received.expectedLength == rest.expectedTotal,
            let response = received.value as? HTTPURLResponse
        else { return false }
        return ContinuationRule.validator(for: response, request: request.complete) == validator
    }

    private mutating func deliverRest(_ received: ReceivedResponse, at offset: ByteCount) {
        guard rest.begin(isSuspended: isSuspended) else { return }
        response = received
        let total = rest.expectedTotal ?? received.expectedLength.flatMap { offset.adding($0) }
        emit(.report(.response(received)))
        tell(.resumed(at: offset, expectedTotal: total))
    }

    /// Delivers a complete file: the server has nothing after the offset, which is not a failure.
    private mutating func finishComplete(_ head: ResponseHead) {
        incoming.skipsBody = true
        // Otherwise the client has the response, and all of its body.
        guard rest.begin(isSuspended: isSuspended) else { return }
        var complete = head
        complete.status = 200
        complete.fields.removeAll { ["content-range", "content-length"].contains($0.name.lowercased()) }
        complete.fields.append(.init(name: "Content-Length", value: "\(rest.received)"))
        guard let url = request.url else { return stop(cannotContinue(status: nil)) }
        let received = ReceivedResponse(complete, url: url, isDecoded: false)
        response = received
        emit(.report(.response(received)))
        tell(.resumed(at: rest.received, expectedTotal: rest.received))
    }

    /// The error of a body whose rest the server does not send, with the status of its response.
    func cannotContinue(status: Int?) -> URLError {
        guard rest.isResuming, let status else {
            let isRefused = status.map { $0 >= 400 } ?? false
            let reason =
                isRefused ? "responded with \(status ?? 0) to the request for the rest" : "has another response now"
            let text = "The connection was lost, and the server \(reason)"
            return .ferry(.networkConnectionLost, url: request.url, reason: .cannotContinue, text)
        }
        let text = "The download could not be resumed: the server responded with \(status)"
        return .ferry(.badServerResponse, url: request.url, reason: .cannotContinue, text)
    }
}
