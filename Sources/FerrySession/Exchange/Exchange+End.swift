/// How an attempt ends, and with the last one the exchange.
extension Exchange {
    /// Carries out what follows an attempt that has ended with a code of libcurl's.
    func attemptEnded(_ code: Int32) {
        guard let attempt else { return }
        let failure = code == 0 ? nil : attempt.failure(code)
        if code == CurlCode.cannotRewind, incoming.failure == nil, incoming.question == nil,
            !RepetitionRule.isIdempotent(method)
        {
            incoming.failure = attempt.notRepeated()
        }
        // Not every version of libcurl closes a connection that other requests may share, which HTTP/2 may be.
        let isShared = attempt.connection?.isMultiplexed == true || attempt.prepared.origin.scheme == "https"
        if isShared, incoming.failure == nil, ErrorRule.breaksConnection(code) { attempt.connection?.breakDown() }
        endAttempt(isOver: true)
        guard client != nil else { return }
        if let error = incoming.bodyError {
            endSharing(.abandoned)
            return end(with: error)
        }
        let tunnel = failure == nil ? nil : tunnelChallenge(of: attempt)
        follow(end(of: attempt, code, hasTunnelChallenge: tunnel != nil).next, failure, tunnel)
    }

    private func end(of attempt: NetworkAttempt, _ code: Int32, hasTunnelChallenge: Bool) -> AttemptEnd {
        var end = AttemptEnd(
            again: attempt.needsNewConnection ? .onNewConnection : incoming.again,
            hasOwnFailure: incoming.failure != nil,
            hasTransportFailure: code != 0 && !isOnlyAboutSending(code, attempt),
            hasQuestion: incoming.question != nil,
            hasResponse: response != nil && attempt.status != nil,
            awaitsTrust: attempt.trust.pendingQuestion != nil,
            reconnections: repetition.reconnections,
            hasTunnelChallenge: hasTunnelChallenge
        )
        switch caching.context?.outcome {
        case .notModified: end.isValidated = true
        case .servesStale: end.servesStale = true
        case nil: break
        }
        guard code != 0 else { return end }
        end.isRefused = RepetitionRule.mayReconnect(
            afterCode: code,
            sends: attempt.sending.count,
            hasResponseBytes: attempt.sending.hasResponseBytes,
            method: method,
            hasBody: !body.isNone,
            sharesConnection: attempt.sharesConnection
        )
        let canAsk = response != nil && incoming.question == nil && incoming.decoder == nil
        end.canContinue = continuation.wasSuspended && canAsk && validator != nil
        if CurlCode.cannotRewind == code, case .delegateStream = body, response == nil {
            end.needsNewBody = RepetitionRule.isIdempotent(method)
        }
        return end
    }

    /// Whether an attempt has failed to send the rest of a body after the whole response had come.
    ///
    /// A server may end the connection or the stream then (RFC 9112, section 9.3, and RFC 9113, section 8.1). libcurl
    /// before 8.0 reports that as an error.
    private func isOnlyAboutSending(_ code: Int32, _ attempt: NetworkAttempt) -> Bool {
        guard code == CurlCode.sendError || code == CurlCode.http2Stream, reader != nil, continuation.offset == nil,
            let response
        else { return false }
        if let decoder = incoming.decoder { return attempt.received > .zero && decoder.isDrained && decoder.mayEnd }
        return response.expectedLength == attempt.received
    }

    private func follow(_ next: AttemptEnd.Next, _ failure: URLError?, _ tunnel: PendingQuestion?) {
        let wasSent = wasSent
        var error = incoming.failure ?? failure
        if next == .fail(.noResponse) {
            error = .ferry(.networkConnectionLost, url: request.url, "The server closed without a response")
        }
        endSharing(before: next, error, wasSent: wasSent)
        switch next {
        case .serveValidated: serveValidated()
        case .serveStale: serveStale()
        case .ask:
            incoming.question?.failure = error
            incoming.hasEnded = true
            storeRedirect()
            askQuestion()
            // Asked before the attempt ended: the deadlines go on while an interceptor decides.
            if phase == .idle, recovery?.isAsking == true { engine.wait(transfer) }
        case .askForTunnel:
            incoming.question = tunnel
            incoming.question?.failure = failure
            incoming.hasEnded = true
            askQuestion()
        case .waitForTrust: waitForTrust()
        case .again(let again): sendAgain(again)
        case .finish:
            incoming.hasEnded = true
            finishIfDrained()
        case .fail: recover(from: error ?? attemptError, wasSent: wasSent)
        }
    }

    private func sendAgain(_ again: AttemptEnd.Again) {
        switch again {
        case .withoutConditions: caching.isBypassed = true
        case .fromStart: continuation.startOver()
        case .withoutCredential: return sendWithoutCredential()
        case .withNewBody:
            repetition.reconnections += 1
            return sendAgain()
        case .withoutExpectation:
            repetition.dropsExpectation = true
            return sendAgain()
        case .onNewConnection: repetition.reconnections += 1
        case .forRest:
            continuation.offset = bodyReceived
            // A server that is gone is asked once for each suspension.
            continuation.wasSuspended = false
        }
        start()
    }

    /// Releases the attempt's handle; `isOver` indicates that libcurl has ended the attempt.
    func endAttempt(isOver: Bool = false) {
        if !isOver { endSharing(.unshareable) }
        clock.stop(at: .now())
        clock.forgetConnecting()
        // The request of the next attempt is adapted again.
        recovery?.isAdapted = false
        if let attempt, let transaction = attempt.takeTransaction(of: request, isOver: isOver) {
            client?.exchange(didCollect: transaction, redirectCount: redirects.count)
        }
        if !isOver, let attempt, attempt.stage == .resolving { engine.abandonLookup(of: attempt) }
        engine.release(transfer)
    }

    /// Completes the exchange if the attempt has ended and the client has taken all of the body.
    ///
    /// - Parameter isDecided: Whether it is decided already that no other attempt follows.
    func finishIfDrained(isDecided: Bool = false) {
        guard incoming.hasEnded, incoming.decoder?.isDrained ?? true, incoming.question == nil, client != nil,
            recovery?.isDeciding != true
        else { return }
        var error: URLError?
        if incoming.decoder?.mayEnd == false {
            error = damagedCoding("ended early")
        } else if let end = attempt?.rangeEnd, bodyReceived != end {
            error = incompleteRange(end)
        }
        guard let error else { return finish() }
        if isDecided { fail(error) } else { failBody(error) }
    }

    /// Ends the attempt because of what was found in its body outside of libcurl's callbacks.
    func failBody(_ error: URLError) {
        // Read first, since the attempt may be discarded.
        let wasSent = wasSent
        endAttempt()
        recover(from: error, wasSent: wasSent)
    }

    // MARK: - Deadlines

    /// Fails the exchange because a deadline has passed, unless its upload has made progress that only the system sees.
    func expire(_ deadline: TransferClock.Deadline) {
        if deadline == .inactivity, reader != nil, let time = attempt?.progress() {
            clock.noteActivity(at: time)
            if let next = clock.next(), next.time > .now() { return engine.watch(transfer) }
        }
        if deadline == .retry { return endDelay() }
        attempt?.noteTimeoutOfConnection(deadline, clock.limits.inactivity)
        let limits = clock.limits
        let (reason, what, limit): (CurlSessionError.Code, String, TimeSpan) =
            switch deadline {
            case .inactivity: (.inactivityTimeout, "no byte moved for", limits.inactivity)
            case .resource: (.resourceTimeout, "the whole exchange took more than", limits.resource)
            case .connect: (.connectTimeout, "there was no connection after", limits.connect)
            case .call, .retry: (.deadlineExceeded, "the call took more than", limits.call)
            }
        let text = "The request timed out: \(what) \(limit.seconds) s (\(request.url?.presentableText ?? ""))"
        let error = URLError.ferry(.timedOut, url: request.url, reason: reason, text)
        if deadline == .call {
            client?.exchangeDidExceedDeadline()
            // There is no time to deliver a stored response either.
            caching.context = nil
        }
        if deadline == .call || deadline == .resource { endSharing(.abandoned) }
        guard phase == .running, deadline == .inactivity || deadline == .connect else { return fail(error) }
        // Read first, since ending an attempt during its lookup discards the attempt.
        let wasSent = wasSent
        if let question = incoming.question, !question.isAsked, !isAnsweredByCurl(question) {
            // The response is known already; only its body does not come.
            endAttempt()
            incoming.question?.failure = error
            incoming.hasEnded = true
            return askQuestion()
        }
        endSharing(.failure(error, wasSent: wasSent))
        endAttempt()
        recover(from: error, wasSent: wasSent)
    }

    /// Whether a question is a challenge that libcurl answers itself after its body, with the credential it was given.
    private func isAnsweredByCurl(_ question: PendingQuestion) -> Bool {
        guard case .challenge(let challenge) = question.kind else { return false }
        return credential(isProxy: challenge.isProxy).map { $0.scheme != .basic } ?? false
    }

    // MARK: - The end

    /// Ends the exchange without telling the client, which knows.
    func cancel() {
        endSharing(.abandoned)
        endAttempt()
        client = nil
        end()
    }

    /// Ends the exchange with an error, or with a stored response in its place where that is allowed.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - note: Why there is no further attempt, if that needs to be said.
    func fail(_ error: URLError, _ note: String? = nil) {
        if serveStale(insteadOf: error) { return }
        let error = recovery?.annotated(error, note) ?? error
        finish(with: makeResumeData().map(error.withResumeData) ?? error)
    }

    /// Ends the exchange with an error of an interceptor's, or of the code that makes the body.
    func end(with error: any Error) {
        if let error = error as? URLError { return fail(error) }
        guard let resumeData = makeResumeData() else { return finish(with: error) }
        let text = "The download was ended: \(error.localizedDescription)"
        let failure = URLError.ferry(.unknown, url: request.url, text, underlying: error)
        finish(with: failure.withResumeData(resumeData))
    }

    private func finish(with error: any Error) {
        let client = client
        endAttempt()
        self.client = nil
        end()
        client?.exchange(didFinishWith: error, file: nil)
    }

    /// Ends the exchange with the error that ended its attempt.
    func failAttempt() { fail(attemptError) }

    /// Whether any of the current attempt's request may have reached the server.
    private var wasSent: Bool { attempt.map { $0.sending.count > 0 } ?? false }

    var attemptError: URLError {
        incoming.failure ?? .ferry(.unknown, url: request.url, "The transfer was interrupted")
    }

    private func finish() {
        var finished: DownloadFile?
        if case .file(let file) = destination {
            do throws(URLError) { try file.finish() } catch { return fail(error) }
            finished = file
            destination = .client
        }
        noteSuccessOfRetry()
        shareResponse()
        addTrailers()
        let client = client
        if let candidate = finishStoring() { client?.exchange(willCache: candidate) }
        self.client = nil
        end()
        client?.exchange(didFinishWith: nil, file: finished)
    }

    /// Adds the fields after the body to the response.
    private func addTrailers() {
        guard let trailers = attempt?.trailers, !trailers.isEmpty else { return }
        response?.add(trailers)
    }

    func end() {
        if let origin = transfer.origin { noteUnsafeRequest(to: origin) }
        endAttempt()
        reader?.close()
        reader = nil
        if case .file(let file) = destination { file.remove() }
        engine.forgetDeadline(transfer)
        recovery?.stopAsking()
        phase = .finished
        attempt = nil
        incoming.decoder = nil
        caching.context = nil
        caching.body = nil
    }
}
