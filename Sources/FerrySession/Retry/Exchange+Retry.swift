/// Decides whether a failed attempt is followed by another one, and waits until that begins.
extension Exchange {
    /// Considers a retry after an attempt that has ended with an error; without one the exchange fails.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - wasSent: Whether any of the request may have reached the server.
    func recover(from error: URLError, wasSent: Bool) {
        guard let recovery, client != nil else { return fail(error) }
        consider(.error(error, wasSent: wasSent), recovery)
    }

    /// Considers a retry instead of delivering the response that is held back.
    func recoverFromResponse() {
        guard client != nil, let recovery, recovery.attempt.failure == nil, let question = incoming.question,
            case .failure = question.kind, question.isAsked
        else { return }
        consider(.response(question.response), recovery)
    }

    private func consider(_ failure: Recovery.Failure, _ recovery: Recovery) {
        // The stream for a retry of an earlier failure is not wanted any more.
        recovery.attempt.pendingRetry = nil
        withdrawStreamQuestions()
        recovery.attempt.failure = failure
        guard let interceptors = recovery.settings.interceptors, isOfInterest(failure, to: interceptors) else {
            return decideByPolicy()
        }
        let situation = situation(failure, recovery)
        let isRepeatable = RetryRule.isRepeatable(situation, recovery.settings.retry)
        let (attempt, request) = (recovery.requestAttempt(redirects), sentRequest)
        waitForAnswer()
        recovery.ask { [weak self] number in
            let asked = AttemptFailure(failure.cause, request: request, isRepeatable: isRepeatable)
            let decision = await interceptors.decision(about: attempt, dueTo: asked)
            guard let self else { return }
            engine.submit(.run { [self] in interceptorsAnswered(number, .decision(decision)) })
        }
    }

    /// Waits without a connection slot, which the interceptors may need to decide; the attempt may still be paused.
    private func waitForAnswer() {
        if phase == .running { engine.giveUpSlot(transfer) } else { engine.wait(transfer) }
    }

    private func isOfInterest(_ failure: Recovery.Failure, to interceptors: RequestInterceptors) -> Bool {
        switch failure {
        case .response(let response): interceptors.failureStatuses.contains(response.statusCode)
        case .error: true
        }
    }

    /// Follows the decision of the interceptors about a failed attempt.
    func follow(_ decision: RetryDecision) {
        if engine.endWait(transfer) { phase = .idle }
        if !isSuspended { engine.retakeSlot(transfer) }
        switch decision {
        case .proceed: decideByPolicy()
        case .doNotRetry: endWithFailure()
        case .fail(let error): end(with: error)
        case .retry: retryForInterceptor(after: 0)
        case .retryAfter(let seconds):
            if seconds.isFinite { retryForInterceptor(after: max(0, seconds)) } else { endWithFailure() }
        }
    }

    private func retryForInterceptor(after delay: TimeInterval) {
        guard let recovery, let failure = recovery.attempt.failure else { return }
        guard recovery.noteInterception() else {
            return endWithFailure("interceptors may cause at most \(Recovery.mostInterceptions) further attempts")
        }
        let situation = situation(failure, recovery)
        follow(RetryRule.retry(situation, after: delay), situation, by: .interceptor)
    }

    private func decideByPolicy() {
        guard let recovery, let failure = recovery.attempt.failure, let policy = recovery.settings.retry else {
            return endWithFailure()
        }
        let situation = situation(failure, recovery)
        let decision = RetryRule.decide(situation, policy, random: .random(in: 0...1))
        // Requesting the rest of a body is no additional load for the server.
        guard case .retry = decision, !situation.isProgress, let limits = policy.budget, let url = request.url else {
            return follow(decision, situation, by: .policy)
        }
        let budget = RetryBudgets.Key(origin: Origin(url), limits: limits)
        guard group.retryBudgets.take(for: budget, at: .now()) else {
            return endWithFailure("no retry is left for this server, since too many of its requests have failed")
        }
        follow(decision, situation, by: .policy, budget)
    }

    private func follow(
        _ decision: RetryRule.Decision,
        _ situation: RetryRule.Situation,
        by origin: TransferMetrics.Retry.Origin,
        _ budget: RetryBudgets.Key? = nil
    ) {
        switch decision {
        case .end(let refusal): endWithFailure(refusal.note(situation))
        case .retry(let delay, let start, let needsStream):
            let next = PendingRetry(
                delay: delay,
                start: start,
                origin: origin,
                isProgress: situation.isProgress,
                budget: budget
            )
            guard needsStream else { return retry(next) }
            // The delegate may have no other stream; until it has provided one, the response is not given up.
            recovery?.attempt.pendingRetry = next
            if phase == .running { engine.giveUpSlot(transfer) }
            if let client { askForBodyStream(client) }
        }
    }

    /// Ends the exchange with the response or error that was to be decided about; an error gets the note.
    private func endWithFailure(_ note: String? = nil) {
        guard let recovery, let failure = recovery.attempt.failure else { return }
        recovery.attempt.settle()
        withdrawStreamQuestions()
        switch failure {
        case .response: deliverQuestion()
        case .error(let error, _): fail(error, note)
        }
    }

    // MARK: - The situation

    private func situation(_ failure: Recovery.Failure, _ recovery: Recovery) -> RetryRule.Situation {
        var situation = RetryRule.Situation()
        situation.method = method
        // One that an interceptor adds may be another one in each attempt.
        situation.hasIdempotencyKey = recovery.base.value(forHTTPHeaderField: "Idempotency-Key") != nil
        situation.retries = recovery.retries
        switch failure {
        case .response(let response):
            let delay = ServerDelay.seconds(status: response.statusCode, now: Date()) {
                response.value(forHTTPHeaderField: $0)
            }
            situation.outcome = .response(response.statusCode, delay: delay)
        case .error(let error, let wasSent):
            let cause = error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
            situation.outcome = RetryRule.outcome(
                of: error.code,
                reason: cause?.code,
                curlCode: cause?.curlCode,
                text: cause?.message ?? "",
                wasSent: wasSent
            )
            situation.wasSent = wasSent
        }
        if case .delegateStream = body, reader != nil, !hasUnreadStream { situation.body = .stream }
        situation.delivered = delivered(recovery)
        situation.elapsed = recovery.elapsed
        situation.timeLeft = clock.timeLeft(at: .now())
        return situation
    }

    private func delivered(_ recovery: Recovery) -> RetryRule.Delivered {
        guard response != nil else { return .nothing }
        // The response to a coded body has no validator.
        if validator != nil {
            let bytes = bodyReceived.subtracting(recovery.attempt.bytesAtStart) ?? .zero
            return .continuable(isProgress: bytes.int64 >= RetryPolicy.leastProgress)
        }
        if case .file = destination { return .discardable }
        return client?.exchangeDeliversAtEnd == true ? .discardable : .final
    }

    // MARK: - The next attempt

    /// Goes on with a retry that has waited for a new stream of the body.
    func continueRetry(_ next: PendingRetry, with box: StreamBox?) {
        recovery?.attempt.pendingRetry = nil
        guard let box else {
            if !isSuspended { engine.retakeSlot(transfer) }
            return endWithFailure("the stream of the body cannot be read a second time")
        }
        body = box.source
        retry(next)
    }

    private func retry(_ next: PendingRetry) {
        guard let recovery, let failure = recovery.attempt.failure, let client else { return }
        endAttempt()
        switch next.start {
        case .rest:
            continuation.offset = bodyReceived
            continuation.wasSuspended = false
        case .beginning:
            if response != nil {
                guard discardBody() else { return endWithFailure() }
            }
            client.exchangeDidRewindBody()
        }
        client.exchange(willRetry: TransferMetrics.Retry(failure, number: recovery.attempt.number, next))
        recovery.begin(next, after: bodyReceived)
        incoming = IncomingResponse()
        setClientFull(false)
        let delay = TimeSpan(seconds: next.delay)
        guard delay > .zero else { return start() }
        engine.waitForRetry(transfer, until: MonotonicTime.now().advanced(by: delay))
    }

    /// Adds the share of the task's first request to the retries of its origin.
    func noteRequest(to origin: Origin) {
        guard let recovery, !recovery.isCounted, let budget = recovery.settings.retry?.budget else { return }
        recovery.isCounted = true
        group.retryBudgets.noteRequest(to: RetryBudgets.Key(origin: origin, limits: budget), at: .now())
    }

    /// Returns the retry of the current attempt to the budget, if it has succeeded.
    func noteSuccessOfRetry() {
        if let budget = recovery?.attempt.budget { group.retryBudgets.giveBack(to: budget) }
    }

    /// Removes what has been received, and returns whether the response can start again.
    func discardBody() -> Bool {
        guard restartBody() else { return false }
        response = nil
        continuation.startOver()
        return true
    }

    /// Begins the attempt whose delay has passed.
    func endDelay() {
        clock.retryTime = nil
        guard engine.endWait(transfer) else { return }
        start()
    }
}

/// A retry that has been decided on.
struct PendingRetry {
    var delay: TimeInterval
    var start: RetryRule.Start
    var origin: TransferMetrics.Retry.Origin
    var isProgress: Bool
    /// The budget that it was taken from.
    var budget: RetryBudgets.Key?
}

extension RetryRule.Refusal {
    /// What the error says, where it needs an explanation.
    func note(_ situation: RetryRule.Situation) -> String? {
        switch self {
        case .notRetried, .tooManyRetries, .delivered, .serverDelayTooLong: nil
        case .notRepeatable: "a \(situation.method) request is not sent again"
        case .deadline: "there was no time left for another attempt"
        }
    }
}

extension Recovery.Failure {
    var cause: AttemptFailure.Cause {
        switch self {
        case .response(let response): .response(response)
        case .error(let error, _): .error(error)
        }
    }
}
