/// Decides whether a failed attempt is followed by another one.
extension Call {
    /// Considers a retry after an attempt that has ended with an error; without one the call fails.
    mutating func recover(from error: URLError, wasSent: Bool, _ world: some CallSurroundings) {
        guard let attempts, !attempts.current.isLast else { return fail(error, world) }
        consider(Attempts.Failure(cause: .error(error), wasSent: wasSent), world)
    }

    /// Considers a retry instead of delivering the response that is held back.
    mutating func considerResponse(_ world: some CallSurroundings) {
        guard let attempts, attempts.current.failure == nil, let held, held.isForInterceptors, held.isAsked
        else { return }
        consider(Attempts.Failure(cause: .response(held.response)), world)
    }

    private mutating func consider(_ failure: Attempts.Failure, _ world: some CallSurroundings) {
        // The stream for a retry of an earlier failure is not wanted any more.
        attempts?.current.pendingRetry = nil
        streamQuestions.withdraw()
        attempts?.current.failure = failure
        // Interceptors may want to see responses of the other statuses.
        let status = failure.cause.response?.statusCode
        if status.map({ attempts?.settings.retry?.statusCodes.contains($0) == true }) ?? true { chargeRetry(world) }
        guard let interceptors = attempts?.settings.interceptors, isOfInterest(failure, to: interceptors) else {
            return decideByPolicy(world)
        }
        guard let question = attempts?.ask(), let attempt = attempts?.requestAttempt(redirects) else { return }
        let asked = outcome(failure, world)
        emit(.ask(question) { .decision(await interceptors.decision(about: attempt, dueTo: asked)) })
    }

    /// Charges the budget that has allowed the current attempt, a retry that has failed too.
    mutating func chargeRetry(_ world: some CallSurroundings) {
        if let budget = attempts?.current.budget { world.charge(budget) }
        attempts?.current.budget = nil
    }

    /// Returns whether the policy sends the request again after an error.
    mutating func wouldRetry(after error: URLError, wasSent: Bool, _ world: some CallSurroundings) -> Bool {
        guard let attempts, !attempts.current.isLast, let policy = attempts.settings.retry else { return false }
        let situation = situation(Attempts.Failure(cause: .error(error), wasSent: wasSent), world)
        if case .retry = RetryRule.decide(situation, policy, random: 1) { return true }
        return false
    }

    func isOfInterest(_ failure: Attempts.Failure, to interceptors: RequestInterceptors) -> Bool {
        switch failure.cause {
        case .response(let response): interceptors.failureStatusCodes.contains(response.statusCode)
        case .error: true
        }
    }

    /// Follows the decision of the interceptors about a failed attempt.
    mutating func follow(_ decision: RetryDecision, _ world: some CallSurroundings) {
        if !isSuspended { emit(.retakeSlot) }
        switch decision {
        case .proceed: decideByPolicy(world)
        case .doNotRetry: endWithFailure(world)
        case .fail(let error): end(with: error, world)
        case .retry: retryForInterceptor(after: 0, world)
        case .retryAfter(let seconds):
            if seconds.isFinite { retryForInterceptor(after: max(0, seconds), world) } else { endWithFailure(world) }
        }
    }

    private mutating func retryForInterceptor(after delay: TimeInterval, _ world: some CallSurroundings) {
        guard let failure = attempts?.current.failure else { return }
        guard attempts?.noteInterception() == true else {
            let note = "interceptors may cause at most \(Attempts.maximumInterceptions) further attempts"
            return endWithFailure(note: note, world)
        }
        let situation = situation(failure, world)
        follow(RetryRule.retry(situation, after: delay), situation, by: .interceptor, world)
    }

    private mutating func decideByPolicy(_ world: some CallSurroundings) {
        guard let failure = attempts?.current.failure, let policy = attempts?.settings.retry else {
            return endWithFailure(world)
        }
        let situation = situation(failure, world)
        let decision = RetryRule.decide(situation, policy, random: world.random)
        // Requesting the rest of a body is no additional load for the server.
        guard case .retry = decision, !situation.isProgress, let limits = policy.budget, let url = request.url else {
            return follow(decision, situation, by: .policy, world)
        }
        let budget = RetryBudgets.Key(origin: Origin(url), limits: limits)
        guard world.hasRetry(for: budget) else {
            let note = "no retry is left for this server, since too many of its requests have failed"
            return endWithFailure(note: note, world)
        }
        follow(decision, situation, by: .policy, budget: budget, world)
    }

    private mutating func follow(
        _ decision: RetryRule.Decision,
        _ situation: RetryRule.Situation,
        by origin: TaskMetrics.Retry.Origin,
        budget: RetryBudgets.Key? = nil,
        _ world: some CallSurroundings
    ) {
        switch decision {
        case .end(let refusal): endWithFailure(note: refusal.note(situation), world)
        case .retry(let delay, let start, let needsStream):
            let isProgress = situation.isProgress
            let next = PendingRetry(delay: delay, start: start, origin: origin, isProgress: isProgress, budget: budget)
            guard needsStream else { return retry(next, world) }
            // The delegate may have no other stream; until it has provided one, the response is not given up.
            attempts?.current.pendingRetry = next
            if isRunning(world) { emit(.giveUpSlot) } else { stage = .waitingForStream }
            askForBodyStream()
        }
    }

    /// Ends the call with the failure of the last attempt; an error and the metrics get the note.
    private mutating func endWithFailure(note: String? = nil, _ world: some CallSurroundings) {
        guard let failure = attempts?.current.failure else { return }
        streamQuestions.withdraw()
        attempts?.current.pendingRetry = nil
        if !askForConclusion(of: failure, note: note, world) { end(as: failure, note: note, world) }
    }

    mutating func end(as failure: Attempts.Failure, note: String?, _ world: some CallSurroundings) {
        attempts?.current.settle()
        if let note { emit(.report(.notRetried(note))) }
        switch failure.cause {
        case .response: deliverHeld(world)
        case .error(let error): fail(error, note: note, world)
        }
    }

    // MARK: - The situation

    /// Returns what interceptors receive about the end of an attempt.
    mutating func outcome(_ failure: Attempts.Failure, _ world: some CallSurroundings) -> AttemptOutcome {
        let (body, isBodyComplete) = heldBody(of: failure, world)
        return AttemptOutcome(
            failure.cause,
            request: request.complete,
            isRepeatable: RetryRule.isRepeatable(situation(failure, world), attempts?.settings.retry),
            body: body,
            isBodyComplete: isBodyComplete
        )
    }

    private mutating func situation(
        _ failure: Attempts.Failure,
        _ world: some CallSurroundings
    ) -> RetryRule.Situation {
        var situation = RetryRule.Situation()
        situation.method = request.method
        // A key that an interceptor adds may differ in each attempt.
        situation.hasIdempotencyKey = attempts?.base.value(forHTTPHeaderField: "Idempotency-Key") != nil
        situation.retries = attempts?.retries ?? 0
        switch failure.cause {
        case .response(let response):
            let delay = ServerDelay.seconds(status: response.statusCode, now: Date.current) {
                response.value(forHTTPHeaderField: $0)
            }
            situation.outcome = .response(response.statusCode, delay: delay)
        case .error(let error):
            situation.outcome = RetryRule.outcome(of: error, wasSent: failure.wasSent)
            situation.wasSent = failure.wasSent
        }
        if case .delegateStream = content { situation.needsStream = world.hasReader && !world.hasUnreadStream }
        situation.delivered = delivered(world)
        situation.elapsed = attempts?.elapsed(at: world.now) ?? 0
        situation.timeLeft = world.timeLeft
        return situation
    }

    private mutating func delivered(_ world: some CallSurroundings) -> RetryRule.Delivered {
        guard response != nil else { return .nothing }
        if validator != nil {
            let bytes = rest.received.subtracting(attempts?.current.bytesAtStart ?? .zero) ?? .zero
            return .continuable(isProgress: bytes.int64 >= RetryPolicy.minimumProgress)
        }
        return world.mayRestartBody ? .discardable : .final
    }

    // MARK: - The next attempt

    /// Continues with a retry that has waited for a new stream of the body.
    mutating func continueRetry(_ next: PendingRetry, with box: StreamBox?, _ world: some CallSurroundings) {
        attempts?.current.pendingRetry = nil
        guard let box else {
            if !isSuspended { emit(.retakeSlot) }
            return endWithFailure(note: "the stream of the body cannot be read a second time", world)
        }
        content = box.source
        retry(next, world)
    }

    private mutating func retry(_ next: PendingRetry, _ world: some CallSurroundings) {
        guard let failure = attempts?.current.failure, let number = attempts?.current.number else { return }
        endAttempt(world)
        switch next.start {
        case .rest: rest.request(usesSuspension: true)
        case .beginning:
            if response != nil, !discardBody(world) { return endWithFailure(world) }
            tell(.rewound)
        }
        emit(.report(.retries(TaskMetrics.Retry(failure, number: number, next))))
        attempts?.begin(next, after: rest.received)
        attempts?.conclusion = nil
        held = nil
        incoming = IncomingResponse()
        emit(.setClientFull(false))
        let delay = TimeSpan(seconds: next.delay)
        guard delay > .zero else { return begin(world) }
        emit(.forgetResponse)
        stage = .delaying
        emit(.waitForRetry(delay))
    }
}

extension RetryRule.Refusal {
    /// The reason why the request is not sent again, for the error and the metrics; `nil` if they need none.
    func note(_ situation: RetryRule.Situation) -> String? {
        switch self {
        case .notRetried, .tooManyRetries, .delivered: nil
        case .serverDelayTooLong: "the server asks for a longer delay than maximumServerDelay"
        case .notRepeatable: "a \(situation.method) request is not sent again"
        case .deadline: "there was no time left for another attempt"
        }
    }
}
