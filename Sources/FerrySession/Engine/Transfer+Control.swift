internal import CFerry

/// What the engine tells a transfer: the client's wishes, deadlines, and the end of an attempt.
extension Transfer {
    // MARK: - Suspension and back-pressure

    /// Does as the client wishes now.
    func followSuspension() {
        guard let client, isSuspended != client.transferIsSuspended else { return }
        isSuspended.toggle()
        if isSuspended {
            wasSuspended = true
            clock.stop(at: .now())
            engine.giveUpSlotWhileSuspended(self)
        } else {
            engine.retakeSlot(self)
            if easy != nil || engine.isWaiting(self) {
                clock.start(at: .now())
                engine.watch(self)
            }
            // What waited for a place, or was to begin meanwhile, begins now.
            if isParked {
                isParked = false
                engine.start(self, priority: priority)
            }
        }
        attachAgain()
        liftPause()
        feedFromCache()
    }

    /// The client has room again.
    func readMore() {
        guard client != nil, held == nil else { return }
        setClientFull(false)
        engine.watch(self)
        guard decodeWaiting() else { return failAttempt() }
        feedFromCache()
        finishIfDrained()
        attachAgain()
        if client != nil { liftPause() }
    }

    func bodyAvailable() {
        guard client != nil, isBodyStarved else { return }
        isBodyStarved = false
        clock.pauseInactivity(isClientFull, at: .now())
        engine.watch(self)
        liftPause()
    }

    /// Brings libcurl's pauses in line with what is wanted, outside its callbacks: an attempt may end with it.
    private func liftPause() {
        let code = applyPause()
        if code != 0, client != nil { attemptEnded(code) }
    }

    /// Brings libcurl's pauses in line with what is wanted.
    ///
    /// Answers libcurl's code.
    func applyPause() -> Int32 {
        guard let easy else { return 0 }
        var wanted = CurlPause.none
        if isSuspended { wanted = CurlPause.receive | CurlPause.send }
        if isClientFull { wanted |= CurlPause.receive }
        if isBodyStarved { wanted |= CurlPause.send }
        guard wanted != appliedPause else { return 0 }
        // Lifting a pause makes libcurl deliver what it holds at once, which may pause again.
        let previous = appliedPause
        appliedPause = wanted
        if isMultiplexed { engine.notePause(of: self) }
        let code = easy.pause(wanted)
        let noConnectionYet: Int32 = 43
        guard code == noConnectionYet else { return code }
        appliedPause = previous
        return 0
    }

    // MARK: - Answers

    func answerRedirect(_ next: URLRequest?) {
        guard client != nil, let held, held.isAsked, case .redirect(let asked, let keepsBody) = held.question else {
            return
        }
        guard let next else { return deliverHeld() }
        self.held = nil
        letGoOfAttempt()
        isClientFull = false
        isEnded = false
        redirectCount += 1
        body = bodyAfterRedirection(from: asked, keepsBody: keepsBody, to: next)
        if let from = request.url, let to = next.url, Origin(from) != Origin(to) {
            hasLeftOrigin = true
            credentials[false] = nil
            authenticationFailures[false] = nil
        }
        request = next
        // What the first request sent is no part of the next one's body.
        client?.transferDidRewindBody()
        engine.start(self, priority: priority)
    }

    /// The body of the next request: the task's own as far as it goes along, else the one the delegate has put in.
    private func bodyAfterRedirection(from asked: URLRequest, keepsBody: Bool, to next: URLRequest) -> BodySource {
        if let data = next.httpBody { return .data(data) }
        if let stream = next.httpBodyStream, stream !== asked.httpBodyStream { return .stream(StreamBox(stream)) }
        // A delegate that took the body out, or made another kind of request, wants none.
        let wasTakenOut = asked.httpBody != nil
        let isSameMethod = (next.httpMethod ?? "GET") == (asked.httpMethod ?? "GET")
        return keepsBody && !wasTakenOut && isSameMethod ? body : .none
    }

    /// Delivers an answer that was held back, as the final one.
    func deliverHeld() {
        guard let held else { return }
        self.held = nil
        if held.isTunnel, let failure = held.failure { return fail(failure) }
        if held.isAbandoned { return askWithoutCredential() }
        let answer = ReceivedResponse(held.response)
        isUnwanted = true
        response = answer
        client?.transfer(didReceive: answer, isReplacement: false)
        setClientFull(false)
        engine.watch(self)
        let isTaken = held.body.withUnsafeBytes { take($0) }
        guard isTaken else { return failAttempt() }
        if let failure = held.failure { return fail(failure) }
        guard decodeWaiting() else { return failAttempt() }
        finishIfDrained()
        if client != nil { liftPause() }
    }

    func askHeld() {
        guard let held, !held.isAsked else { return }
        self.held?.isAsked = true
        if easy == nil { clock.stop(at: .now()) }
        switch held.question {
        case .redirect(let request, _): client?.transfer(willRedirect: held.response, to: request)
        case .challenge(let challenge): ask(challenge, held.response)
        }
    }

    func answerBodyStream(_ box: StreamBox?) {
        guard client != nil, case .delegateStream = body else { return }
        guard let box else { return fail(.ferryWithoutStream(url: request.url)) }
        body = .stream(box)
        engine.start(self, priority: priority)
    }

    /// Sends what the client has kept of the body, and all that follows, to a file; the exchange may be over already.
    func becomeDownload(for client: any TransferClient) {
        guard case .client = sink, isFinished || self.client != nil else { return }
        let kept = client.transferTakesBuffer()
        let file: DownloadFile
        do throws(URLError) {
            file = try DownloadFile(
                keeping: kept,
                in: engine.settings.temporaryDirectory,
                requestURL: request.url,
                isWhole: isFinished
            )
        } catch {
            self.client = nil
            if !isFinished { end() }
            // The failure first: becoming a download opens the mailbox, where a success may wait.
            client.transfer(didFinishWith: error, file: nil)
            return client.transfer(didBecomeDownloadWith: .zero, finished: nil)
        }
        caching?.pending = nil
        client.transfer(didBecomeDownloadWith: ByteCount(clamping: kept.count), finished: isFinished ? file : nil)
        guard !isFinished else { return }
        sink = .file(file)
        readMore()
    }

    // MARK: - Ends

    /// An attempt is over, as libcurl says.
    func attemptEnded(_ code: Int32) {
        let failure = code == 0 ? nil : failure(code)
        isResolving = false
        if ErrorRule.breaksConnection(code), ownFailure == nil, let connection = attempt.connection,
            connection.isMultiplexed
        {
            connection.breakDown()
        }
        letGoOfAttempt(isOver: true)
        guard client != nil else { return }
        if settleWithCache(code) { return }
        if mustStartOver {
            (continuesAt, validator, isResuming) = (nil, nil, false)
            return engine.start(self, priority: priority)
        }
        if held != nil, let failure = ownFailure ?? failure {
            held?.failure = failure
            isEnded = true
            return askHeld()
        }
        if ownFailure != nil { return failAttempt() }
        if attempt.mustWithholdCredential { return askWithoutCredential() }
        if mustRepeat { return repeatWithoutExpectation() }
        if reconnect() { return }
        guard let failure else { return attemptSucceeded() }
        if askForTunnel(failure) { return }
        if continueAfterSuspension() || replayBody(code) { return }
        fail(failure)
    }

    private func attemptSucceeded() {
        if held != nil {
            isEnded = true
            storeRedirection()
            return askHeld()
        }
        guard response != nil else {
            return fail(.ferry(.networkConnectionLost, url: request.url, "The server closed without a response"))
        }
        isEnded = true
        finishIfDrained()
    }

    func finishIfDrained() {
        guard isEnded, decoder?.isDrained ?? true, held == nil, client != nil else { return }
        guard decoder?.mayEnd ?? true else { return fail(damagedCoding("ended early")) }
        if let end = attempt.rangeEnd, bodyReceived != end { return fail(incompleteRange(end)) }
        finish()
    }

    private func repeatWithoutExpectation() {
        mustRepeat = false
        dropsExpectation = true
        client?.transferDidRewindBody()
        engine.start(self, priority: priority)
    }

    /// libcurl wanted to send a stream's body again on a fresh connection: the delegate may have a new stream.
    private func replayBody(_ code: Int32) -> Bool {
        let cannotRewind: Int32 = 65
        guard code == cannotRewind, case .delegateStream = body, response == nil else { return false }
        client?.transferDidRewindBody()
        engine.start(self, priority: priority)
        return true
    }

    /// Whether the server has acknowledged more of the body since that was looked at last.
    ///
    /// The system takes the end of a body long before a slow server has read it; until then acknowledgements are the only
    /// bytes that move. A connection that others use too says nothing about one request.
    private func hasProgressed() -> Bool {
        guard reader != nil, let connection = attempt.connection, !connection.isMultiplexed,
            let acknowledged = connection.acknowledgedBytes, acknowledged > attempt.acknowledgedBytes
        else { return false }
        attempt.acknowledgedBytes = acknowledged
        return true
    }

    /// Notes on the connection that the request has timed out there.
    private func noteTimeoutOfConnection(_ deadline: TransferClock.Deadline) {
        guard let connection = attempt.connection, let start = attempt.requestStart else { return }
        guard deadline == .inactivity, let limit = clock.limits.inactivity else {
            return connection.noteTimeout(since: start)
        }
        connection.noteTimeout(since: MonotonicTime.now().before(limit))
    }

    func expire(_ deadline: TransferClock.Deadline) {
        if deadline == .inactivity, hasProgressed() {
            clock.noteActivity(at: .now())
            return engine.watch(self)
        }
        noteTimeoutOfConnection(deadline)
        let code: CurlSessionError.Code
        let what: String
        let limit: UInt64?
        switch deadline {
        case .inactivity:
            (code, what, limit) = (.inactivityTimeout, "no byte moved for", clock.limits.inactivity)
        case .resource:
            (code, what, limit) = (.resourceTimeout, "the whole exchange took more than", clock.limits.resource)
        case .connect:
            (code, what, limit) = (.connectTimeout, "there was no connection after", clock.limits.connect)
        }
        let seconds = Double(limit ?? 0) / 1_000_000_000
        let url = request.url?.presentableText ?? ""
        let cause = CurlSessionError(code, "The request timed out: \(what) \(seconds) s (\(url))")
        fail(.ferry(.timedOut, url: request.url, underlying: cause))
    }

    /// The task has been cancelled, and knows it already.
    func cancel() {
        letGoOfAttempt()
        client = nil
        end()
    }

    func fail(_ error: URLError) {
        if serveStale(insteadOf: error) { return }
        let client = client
        let resumeData = makeResumeData()
        letGoOfAttempt()
        self.client = nil
        end()
        client?.transfer(didFinishWith: resumeData.map(error.withResumeData) ?? error, file: nil)
    }

    func failAttempt() {
        fail(ownFailure ?? .ferry(.unknown, url: request.url, "The transfer was interrupted"))
    }

    private func finish() {
        var finished: DownloadFile?
        if case .file(let file) = sink {
            do throws(URLError) {
                try file.finish()
            } catch {
                return fail(error)
            }
            finished = file
            sink = .client
        }
        let client = client
        if let candidate = finishStoring() { client?.transfer(willCache: candidate) }
        self.client = nil
        end()
        client?.transfer(didFinishWith: nil, file: finished)
    }

    private func end() {
        letGoOfAttempt()
        reader?.close()
        reader = nil
        if case .file(let file) = sink { file.remove() }
        isFinished = true
        (decoder, caching, cachedBody) = (nil, nil, nil)
    }

    /// Gives the handle back, or leaves it to a look-up that still runs; `isOver` says that libcurl has ended the attempt.
    func letGoOfAttempt(isOver: Bool = false) {
        clock.stop(at: .now())
        if let easy, let client, let start = attemptStart {
            attemptStart = nil
            var transaction = easy.transaction(of: request, status: attemptStatus, start: start)
            // libcurl counts the time when bytes move, and may have counted long ago.
            if !isOver { transaction.end = max(transaction.end, Date().timeIntervalSince(start)) }
            // It has no time of a connection whose handshake has not succeeded.
            if transaction.connect == 0, let handshakeStart {
                transaction.connect = min(max(0, handshakeStart.timeIntervalSince(start)), transaction.end)
            }
            client.transfer(didCollect: transaction, redirectCount: redirectCount)
        }
        if isResolving { engine.leaveLookUp(of: self) }
        engine.release(self)
    }
}
