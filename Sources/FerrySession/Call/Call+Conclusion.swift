/// The question to ``ConcludingInterceptor``s before a call ends.
extension Call {
    /// Asks interceptors for a response in place of the call's end, and returns whether there are any to ask.
    ///
    /// A failure that is a response is held back. `note` is the reason why no attempt follows, for the error's text.
    mutating func askForConclusion(
        of failure: Attempts.Failure,
        note: String? = nil,
        _ world: some CallSurroundings
    ) -> Bool {
        guard let interceptors = attempts?.settings.interceptors, !interceptors.concluding.isEmpty,
            attempts?.conclusion == nil, !rest.isResuming, response == nil || world.mayRestartBody,
            isOfInterest(failure, to: interceptors)
        else { return false }
        let outcome = outcome(failure, world)
        if case .error(let error) = failure.cause {
            if response == nil, world.staleResponse(insteadOf: error.code) != nil { return false }
            endAttempt(world)
        }
        guard let question = attempts?.ask(), let attempt = attempts?.requestAttempt(redirects) else { return false }
        attempts?.conclusion = (failure, note)
        emit(.ask(question) { await interceptors.conclusion(about: attempt, with: outcome) })
        return true
    }

    /// Returns the part of the held response's body that interceptors receive, and whether it is the whole body.
    func heldBody(of failure: Attempts.Failure, _ world: some CallSurroundings) -> (Data, isComplete: Bool) {
        guard case .response = failure.cause, let held else { return (Data(), true) }
        return (Data(held.body.prefix(held.limit)), completeHeld(world) != nil && held.body.count <= held.limit)
    }

    /// Ends the call with an error although no attempt was made; if a circuit is open, interceptors are asked first.
    mutating func failBeforeSending(_ error: URLError, _ world: some CallSurroundings) {
        let isRefused = error.sessionCause?.code == .circuitOpen
        if isRefused, askForConclusion(of: .init(cause: .error(error), wasSent: false), world) { return }
        fail(error, world)
    }

    /// Ends the call with an interceptor's response, or with the failure if there is none.
    mutating func conclude(with response: InterceptedResponse?, _ world: some CallSurroundings) {
        guard let conclusion = attempts?.conclusion else { return }
        guard let response else {
            if !isSuspended { emit(.retakeSlot) }
            return end(as: conclusion.failure, note: conclusion.note, world)
        }
        endAttempt(world)
        // Without `attempts`, no other attempt and no question about the response follows.
        attempts = nil
        emit(.setClientFull(false))
        emit(.forgetResponse)
        serve(.intercepted(response), isFinal: true, world)
    }
}
