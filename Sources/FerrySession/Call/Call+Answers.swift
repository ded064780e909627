/// Questions to the delegate about a response that is held back, and their answers.
extension Call {
    /// Asks what to do with the held response, unless that was asked already.
    mutating func askAboutHeld(_ world: some CallSurroundings) {
        guard let held, !held.isAsked else { return }
        self.held?.isAsked = true
        // The time until the delegate answers does not count, although the rest of the body may still arrive.
        if !held.isForInterceptors || !isRunning(world) { emit(.stopClock) }
        switch held.kind {
        case .redirect(let request, _):
            // A stream that was not read stays with the task.
            var body: BodySource? = content
            if case .delegateStream = content, world.hasUnreadStream { body = nil }
            emit(.report(.redirect(held.response, request, body)))
        case .challenge(let challenge): ask(challenge, held.response, world)
        case .failure: if isRunning(world) { emit(.considerResponseLater) } else { considerResponse(world) }
        }
    }

    /// Whether the attempt still has its handle after the steps so far.
    func isRunning(_ world: some CallSurroundings) -> Bool { stage == .attempting && world.isRunning }

    private mutating func ask(
        _ challenge: AuthenticationChallenge,
        _ response: HTTPURLResponse,
        _ world: some CallSurroundings
    ) {
        var challenge = challenge
        let isProxy = challenge.isProxy
        // libcurl sends the system's Kerberos ticket in place of a user and password, so others would be refused too.
        if challenge.options.count > 1, credentials.hasRefused(isProxy: isProxy, where: { $0.scheme == .negotiate }) {
            challenge.options.removeAll { $0.scheme == .negotiate }
            held?.kind = .challenge(challenge)
        }
        let isInURL = request.url?.user != nil && credentials.server.credential == nil && !isProxy
        let party = credentials[isProxy: isProxy]
        let failures = party.failures(of: challenge.options.first) + (isInURL ? 1 : 0)
        // Not earlier: some schemes take several requests, for which libcurl answers the challenges itself.
        forgetSent(isProxy: isProxy, world)
        guard party.mayBeGiven, let url = request.url, let space = challenge.space(of: url, proxy: world.proxy) else {
            return deliverHeld(world)
        }
        for option in challenge.options {
            forgetSent(isProxy: isProxy, for: option, world)
            guard let known = known(for: option, isProxy: isProxy, world) else { continue }
            // The options before the known one are rejected one after the other.
            return option == challenge.options.first
                ? answer(known) : emit(.authenticateLater(.rejectProtectionSpace, nil))
        }
        if let own = ownOfProxy(for: challenge, world) { return answer(own) }
        let stored = failures == 0 ? settings.credentialStore?.credential(for: space) : nil
        let question = AuthenticationQuestion(space: space, proposed: stored, failures: failures, response: response)
        tell(.challenge(question))
    }

    /// Uses a credential for a challenge without asking the delegate.
    private mutating func answer(_ known: SchemeCredential) {
        let credential = URLCredential(user: known.user, password: known.password, persistence: .forSession)
        emit(.authenticateLater(.useCredential, credential))
    }

    // MARK: - Answers

    /// Follows a redirect with a request, or delivers the redirect if there is none.
    mutating func answerRedirect(_ next: URLRequest?, _ world: some CallSurroundings) {
        guard let held, held.isAsked, case .redirect(let asked, let keepsBody) = held.kind else { return }
        guard var next else { return deliverHeld(world) }
        next = RedirectRule.withholdSecrets(of: asked, in: next, settings.sensitiveHeaders)
        endAttempt(world)
        noteUnsafeRequest()
        // A delegate that changed the method wants no body.
        let keepsOwn = (keepsBody || content.isUpgrade) && next.httpMethod ?? "GET" == asked.httpMethod ?? "GET"
        content = content.afterRedirect(from: asked, asked: asked, to: next, keepsOwn: keepsOwn)
        let leavesOrigin = request.url?.hasSameOrigin(as: next.url) == false
        redirects.follow(leavesOrigin: leavesOrigin)
        // libcurl would send the body's request without its body first; see Credentials.choose.
        let isProbed =
            credentials.server.credential.map { $0.scheme != .basic } == true
            && content.isSent(with: next.httpMethod ?? "GET")
        if leavesOrigin || isProbed { credentials.forgetServer() }
        request.base = next
        attempts?.base = next
        sendAgain(world)
    }

    mutating func answerBodyStream(_ box: StreamBox?, _ world: some CallSurroundings) {
        guard streamQuestions.noteAnswer(), case .delegateStream = content else { return }
        if let next = attempts?.current.pendingRetry { return continueRetry(next, with: box, world) }
        guard let box else { return fail(.ferryWithoutStream(url: request.url), world) }
        content = box.source
        begin(world)
    }

    mutating func answerChallenge(
        _ disposition: URLSession.AuthChallengeDisposition,
        _ credential: URLCredential?,
        _ world: some CallSurroundings
    ) {
        guard let held, held.isAsked, case .challenge(var challenge) = held.kind else { return }
        switch disposition {
        case .performDefaultHandling where credential == nil && hasStoredCredential(forWeaker: challenge),
            .rejectProtectionSpace:
            challenge.options.removeFirst()
            guard !challenge.options.isEmpty else { return deliverHeld(world) }
            self.held?.kind = .challenge(challenge)
            ask(challenge, held.response, world)
        case .useCredential, .performDefaultHandling:
            guard let option = challenge.options.first, let user = credential?.user else { return deliverHeld(world) }
            let password = credential?.password ?? ""
            guard SchemeCredential.isValid(user: user, password: password) else {
                let text = "The credential's user has a control character, or its password a null byte"
                let url = request.url
                return refuse(held, .ferry(.userAuthenticationRequired, url: url, reason: .invalidHeader, text), world)
            }
            let isProxy = challenge.isProxy
            let next = credentials[isProxy: isProxy].using(
                SchemeCredential(scheme: option.scheme, user: user, password: password),
                for: option,
                isKept: credential?.persistence != URLCredential.Persistence.none,
                generation: world.acceptedCredentials.generation,
                at: request.place(isProxy: isProxy, world.proxyPlace),
                sent: credentials.sent(isProxy: isProxy),
                held: completeHeld(world)
            )
            guard let next else { return deliverHeld(world) }
            credentials.use(next, isProxy: isProxy)
            sendAgain(world)
        case .cancelAuthenticationChallenge:
            let text = "The authentication challenge was cancelled"
            refuse(held, .ferry(.cancelled, url: request.url, text), world)
        }
    }

    /// Whether the configuration's storage has a credential for a weaker scheme of a server's challenge.
    ///
    /// A user and password that were refused do not count: a weaker scheme could reveal the password.
    private func hasStoredCredential(forWeaker challenge: AuthenticationChallenge) -> Bool {
        guard let store = settings.credentialStore, !challenge.isProxy, let url = request.url else { return false }
        return challenge.options.dropFirst().contains { option in
            var weaker = challenge
            weaker.options = [option]
            guard let stored = weaker.space(of: url, proxy: nil).flatMap(store.credential) else { return false }
            let (user, password) = (stored.user ?? "", stored.password ?? "")
            return !credentials.hasRefused(isProxy: false) { sent in
                sent.scheme != .negotiate
                    && sent == SchemeCredential(scheme: sent.scheme, user: user, password: password)
            }
        }
    }

    /// Ends the call instead of answering a challenge.
    private mutating func refuse(_ held: HeldResponse, _ error: URLError, _ world: some CallSurroundings) {
        self.held = nil
        if !held.isTunnel { emit(.report(.refused(ReceivedResponse(held.response)))) }
        fail(error, world)
    }

    /// The held response, if its whole body is known.
    func completeHeld(_ world: some CallSurroundings) -> HeldResponse? {
        guard let held, incoming.hasEnded, held.failure == nil, !held.isTunnel, !held.isAbandoned,
            world.decoding.isWhole
        else { return nil }
        return held
    }

    // MARK: - Delivering

    /// Restarts the clock, which was stopped for a question to the delegate.
    private mutating func startClockIfRunning(_ world: some CallSurroundings) {
        if isRunning(world), !isSuspended { emit(.startClock) }
    }

    /// Delivers the held response as the final one.
    mutating func deliverHeld(_ world: some CallSurroundings) {
        guard var held else { return }
        if case .challenge = held.kind, !held.isTunnel, !held.isAbandoned,
            attempts?.settings.concerns(held.response.statusCode) == true
        {
            // The delegate has no other credential; an interceptor may have a token.
            credentials.giveUp(isProxy: held.response.statusCode == 407)
            (held.kind, held.isAsked) = (.failure, false)
            self.held = held
            startClockIfRunning(world)
            return askAboutHeld(world)
        }
        self.held = nil
        if held.isTunnel, let failure = held.failure { return fail(failure, world) }
        if held.isAbandoned { return deliverAbandoned(held, world) }
        // The body of this response must not be appended to the part that was received.
        guard rest.offset == nil else { return fail(cannotContinue(status: held.response.statusCode), world) }
        startClockIfRunning(world)
        if !held.isSuccess { attempts?.current.isLast = true }
        let received = ReceivedResponse(held.response)
        if held.isForInterceptors {
            let isDecoded = world.decoding != .none
            deliver(received, isDecoded: isDecoded)
            if let head = held.head { emit(.beginStoring(head, isDecoded: isDecoded, isRedirect: false)) }
        } else {
            incoming.isUnwanted = true
            response = received
            emit(.report(.response(received)))
        }
        emit(.replay(held.body, failure: held.failure))
    }

    /// Delivers another response instead of a challenge whose attempt was ended before the challenge's body came.
    ///
    /// That is the first response that has asked for a credential. If its body is not known either, the request is sent
    /// again without a credential, unless it was sent without one before.
    private mutating func deliverAbandoned(_ held: HeldResponse, _ world: some CallSurroundings) {
        let party = credentials[isProxy: held.response.statusCode == 407]
        guard let first = party.firstHeld else {
            if party.failures == 0 { return sendWithoutCredential(world) }
            let text = "The server rejects every nonce as stale, and its first challenge is too large to be delivered"
            return fail(.ferry(.userAuthenticationRequired, url: request.url, text), world)
        }
        incoming = IncomingResponse(hasEnded: true)
        emit(.forgetResponse)
        self.held = first
        deliverHeld(world)
    }

    /// Sends the request once more without a credential, so that the response that asks for one is delivered whole.
    mutating func sendWithoutCredential(_ world: some CallSurroundings) {
        credentials.refuseAll()
        sendAgain(world)
    }
}
