/// The question to interceptors that stand around the whole call, before it ends.
extension Call {
    /// Asks interceptors whether a response of theirs takes the place of the call's end, and returns whether they are
    /// asked.
    ///
    /// If the failure is a response, that is held back; `note` is why there is no further attempt, if that needs to be
    /// said.
    mutating func askForConclusion(
        of failure: Attempts.Failure,
        note: String? = nil,
        _ world: some CallSurroundings
    ) -> Bool {
        guard let interceptors = attempts?.settings.interceptors, !interceptors.concluding.isEmpty,
            attempts?.conclusion == nil, !rest.isResuming, response == nil || world.mayRestartBody,
            isOfInterest(failure, to: interceptors)
        else { return false }
        let (body, isBodyComplete) = heldBody(of: failure, world)
        if case .error(let error) = failure.cause {
            if response == nil, world.staleResponse(insteadOf: error.code) != nil { return false }
            endAttempt(world)
        }
        guard let question = attempts?.ask(), let attempt = attempts?.requestAttempt(redirects) else { return false }
        attempts?.conclusion = Attempts.Conclusion(failure: failure, note: note)
        let end = CallEnd(failure.cause, request: request.complete, body: body, isBodyComplete: isBodyComplete)
        emit(.waitForAnswer)
        emit(.askForConclusion(question, interceptors, attempt, end))
        return true
    }

    /// Returns what interceptors see of the held response's body, and whether that is all of it.
    func heldBody(of failure: Attempts.Failure, _ world: some CallSurroundings) -> (Data, isComplete: Bool) {
        guard case .response = failure.cause, let held else { return (Data(), true) }
        return (Data(held.body.prefix(held.limit)), completeHeld(world) != nil && held.body.count <= held.limit)
    }

    /// Ends the call with an error that is no attempt's; interceptors may have a response if a circuit has opened.
    mutating func failBeforeSending(_ error: URLError, _ world: some CallSurroundings) {
        let isRefused = error.sessionCause?.code == .circuitOpen
        if isRefused, askForConclusion(of: .init(cause: .error(error), wasSent: false), world) { return }
        fail(error, world)
    }

    /// Ends the call with an interceptor's response, or as it would have ended without.
    mutating func conclude(with response: InterceptedResponse?, _ world: some CallSurroundings) {
        emit(.endWait)
        guard let conclusion = attempts?.conclusion else { return }
        guard let response else {
            if !isSuspended { emit(.retakeSlot) }
            return end(as: conclusion.failure, note: conclusion.note, world)
        }
        endAttempt(world)
        // There is no further attempt, and no question about the response.
        attempts = nil
        emit(.setClientFull(false))
        emit(.forgetResponse)
        serve(.intercepted(response), isFinal: true, world)
    }
}
