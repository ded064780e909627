/// What the task asks for while the exchange goes on: suspension, flow control, answers to questions.
extension Exchange {
    /// Suspends or resumes the exchange, as the client says.
    func followSuspension() {
        guard let client, isSuspended != client.exchangeIsSuspended else { return }
        if isSuspended { resume() } else { suspend() }
        attachAgain()
        liftPause()
        feedFromCache()
    }

    private func suspend() {
        pauses.insert(.suspended)
        continuation.wasSuspended = true
        clock.stop(at: .now())
        clock.stopCall(at: .now())
        // No other exchange waits for the slot of a suspended one; its connection is kept.
        if phase == .waitingForSlot, transfer.hasConnection { phase = .parked }
        endSharing(.abandoned)
        if phase == .running || phase == .parked { engine.giveUpSlot(transfer) }
    }

    private func resume() {
        pauses.remove(.suspended)
        clock.startCall(at: .now())
        // While it is decided about a failed attempt, others may use its slot.
        if recovery?.isDeciding != true { engine.retakeSlot(transfer) }
        switch phase {
        case .running, .waitingForDecision, .waitingForIdenticalRequest, .waitingForRetry: clock.start(at: .now())
        case .parked: start()
        case .idle, .waitingForSlot, .detached, .finished: break
        }
        engine.watch(transfer)
    }

    func readMore() {
        guard client != nil, incoming.question == nil else { return }
        setClientFull(false)
        engine.watch(transfer)
        guard decodeWaiting() else { return failBody(attemptError) }
        feedFromCache()
        finishIfDrained()
        attachAgain()
        if client != nil { liftPause() }
    }

    /// Goes on sending, since the body's stream has bytes again.
    func bodyAvailable() {
        guard client != nil, pauses.contains(.bodyIsStarved) else { return }
        pauses.remove(.bodyIsStarved)
        clock.pauseInactivity(!pauses.isDisjoint(with: .local), at: .now())
        engine.watch(transfer)
        liftPause()
    }

    /// Goes on receiving or sending, since the limits on bytes per second allow it again.
    func move() {
        engine.watch(transfer)
        // Its stream may have been given up while it was paused.
        attachAgain()
        if client != nil { liftPause() }
    }

    func setClientFull(_ isFull: Bool) { setPause(.clientIsFull, isFull) }

    /// Applies the reasons to pause outside of libcurl's callbacks, which may end the attempt.
    func liftPause() {
        let code = attempt?.apply(pauses) ?? 0
        if code != 0, client != nil { attemptEnded(code) }
    }

    // MARK: - Answers

    /// Follows a redirect with a request, or delivers the redirect where there is none.
    func answerRedirect(_ next: URLRequest?) {
        guard client != nil, let question = incoming.question, question.isAsked,
            case .redirect(let asked, let keepsBody) = question.kind
        else { return }
        guard let next else { return deliverQuestion() }
        endAttempt()
        redirects.count += 1
        body = bodyAfterRedirect(from: asked, keepsBody: keepsBody, to: next)
        if let from = request.url, let to = next.url, Origin(from) != Origin(to) {
            redirects.hasLeftOrigin = true
            authentication.server = Authentication.Party()
        }
        if let origin = transfer.origin { noteUnsafeRequest(to: origin) }
        request = next
        recovery?.base = next
        sendAgain()
    }

    /// Returns the body of the next request: the one the delegate has set, or the task's own if the redirect keeps it.
    private func bodyAfterRedirect(from asked: URLRequest, keepsBody: Bool, to next: URLRequest) -> BodySource {
        let isSameMethod = next.httpMethod ?? "GET" == asked.httpMethod ?? "GET"
        // A request's own body that was not changed is the task's, or is not sent, as in upload tasks.
        if let data = next.httpBody, data != asked.httpBody || !isSameMethod { return .data(data) }
        if next.httpBody == nil, let stream = next.httpBodyStream, stream !== asked.httpBodyStream {
            return StreamBox(stream).source
        }
        // A delegate that removed the body, or changed the method, wants none.
        let wasRemoved = asked.httpBody != nil && next.httpBody == nil
        return (keepsBody || body.isUpgrade) && !wasRemoved && isSameMethod ? body : .none
    }

    /// Ends the attempt, if it has not ended yet, and begins another with the same body from its first byte.
    func sendAgain() {
        endAttempt()
        client?.exchangeDidRewindBody()
        start()
    }

    /// Delivers the response that the delegate was asked about as the final one.
    func deliverQuestion() {
        guard var question = incoming.question else { return }
        if case .challenge = question.kind, !question.isTunnel, !question.isAbandoned,
            recovery?.settings.concerns(question.response.statusCode) == true
        {
            // The delegate has no credential; an interceptor may have a token.
            (question.kind, question.isAsked) = (.failure, false)
            incoming.question = question
            return askQuestion()
        }
        incoming.question = nil
        if question.isTunnel, let failure = question.failure { return fail(failure) }
        if question.isAbandoned { return deliverAbandoned(question) }
        // No other body is appended to the part that was received.
        guard continuation.offset == nil else { return fail(cannotContinue(status: question.response.statusCode)) }
        let received = ReceivedResponse(question.response)
        if case .failure = question.kind {
            deliver(received)
            if let head = question.head { beginStoring(head, isDecoded: incoming.decoder != nil, isRedirect: false) }
        } else {
            incoming.isUnwanted = true
            response = received
            client?.exchange(didReceive: received)
        }
        setClientFull(false)
        engine.watch(transfer)
        guard question.body.withUnsafeBytes({ take($0) }) else { return failAttempt() }
        if let failure = question.failure { return fail(failure) }
        guard decodeWaiting() else { return failAttempt() }
        finishIfDrained(isDecided: true)
        if client != nil { liftPause() }
    }

    /// Asks the delegate about a redirect or a challenge, unless it was asked already.
    func askQuestion() {
        guard let question = incoming.question, !question.isAsked else { return }
        incoming.question?.isAsked = true
        if phase != .running { clock.stop(at: .now()) }
        switch question.kind {
        case .redirect(let request, _): client?.exchange(willRedirect: question.response, to: request)
        case .challenge(let challenge): ask(challenge, question.response)
        case .failure:
            // As a command where libcurl may be delivering the body just now, since the attempt may be ended.
            if phase == .running {
                engine.submit(.run { [self] in recoverFromResponse() })
            } else {
                recoverFromResponse()
            }
        }
    }

    func answerBodyStream(_ box: StreamBox?) {
        guard acceptsBodyStream(), client != nil, case .delegateStream = body else { return }
        if let next = recovery?.attempt.pendingRetry { return continueRetry(next, with: box) }
        guard let box else { return fail(.ferryWithoutStream(url: request.url)) }
        body = box.source
        start()
    }

    /// Moves what the client has of the body to a file, where the rest goes too; the exchange may be over already.
    func becomeDownload(for client: any ExchangeClient) {
        guard case .client = destination, phase == .finished || self.client != nil else { return }
        let isWhole = phase == .finished
        let kept = client.exchangeTakesBuffer()
        let folder = settings.temporaryDirectory
        let file: DownloadFile
        do throws(URLError) {
            file = try DownloadFile(keeping: kept, in: folder, requestURL: request.url, isWhole: isWhole)
        } catch {
            self.client = nil
            if !isWhole { end() }
            // The failure comes first: becoming a download resumes delivery, and a queued success could overtake it.
            client.exchange(didFinishWith: error, file: nil)
            return client.exchange(didBecomeDownloadWith: .zero, finished: nil)
        }
        caching.context?.pending = nil
        client.exchange(didBecomeDownloadWith: ByteCount(clamping: kept.count), finished: isWhole ? file : nil)
        guard !isWhole else { return }
        destination = .file(file)
        readMore()
    }

    // MARK: - Trust that the user's code decides about

    /// Waits for the decision that the attempt has ended without.
    func waitForTrust() {
        repetition.reconnections += 1
        // The decision may have come already, with its command in the inbox.
        if let decided = transfer.decidedTrust, decided.question == attempt?.trust.pendingQuestion {
            start()
        } else {
            engine.wait(transfer)
        }
    }

    func continueAfterTrust(_ question: TrustQuestion, _ decision: TrustDecision) {
        guard client != nil else { return }
        transfer.decidedTrust = (question, decision)
        continueAfterWait()
    }

    func continueAfterWait() {
        // The decision may come late, when the exchange waits for something else.
        guard client != nil, phase == .waitingForDecision, recovery?.isAsking != true, engine.endWait(transfer) else {
            return
        }
        start()
    }

    /// Asks the policy what libcurl verifies for a host, unless it is known; returns whether the exchange waits.
    func mustWaitForVerification(of origin: Origin) -> Bool {
        guard origin.scheme == "https" else { return false }
        let current = engine.trust.use()
        guard let policy = current.policy, !(policy is any ImmediateTrustPolicy),
            engine.trust.verification(for: origin.host, revision: current.revision) == nil
        else { return false }
        engine.wait(transfer)
        engine.trustQuestions.run { [self] in
            let verification = policy.verification(for: origin.host)
            engine.trust.note(verification, for: origin.host, revision: current.revision)
            engine.submit(.run { [self] in continueAfterWait() })
        }
        return true
    }
}
