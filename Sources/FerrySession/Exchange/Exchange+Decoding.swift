/// The content codings of a response, decoded in shares of the engine's turns.
extension Exchange {
    /// How much of a coded body may wait to be decoded before nothing more is received, in bytes.
    private static let largestBacklog = 262_144

    /// Receives bytes from the network, and returns whether the attempt goes on.
    func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let decoder = incoming.decoder else { return take(bytes) }
        decoder.append(bytes)
        let goesOn = decodeWaiting()
        if incoming.isPostponed, decoder.backlog > Self.largestBacklog { setPause(.awaitsTurn, true) }
        return goesOn
    }

    /// Decodes until the input ends, the client is full or the exchange's share of the turn is used, and returns
    /// whether the attempt goes on.
    func decodeWaiting() -> Bool {
        guard let decoder = incoming.decoder, !incoming.isPostponed else { return true }
        let (start, share) = (MonotonicTime.now(), engine.allowance.share)
        defer { engine.allowance.spend(MonotonicTime.now().since(start)) }
        let end = start.advanced(by: share)
        while !pauses.contains(.clientIsFull) {
            guard share > .zero else {
                postpone()
                return true
            }
            let (count, stop) = decoder.fill(engine.scratch, until: end)
            guard count == 0 || take(UnsafeRawBufferPointer(rebasing: engine.scratch[..<count])) else { return false }
            switch stop {
            case .full: break
            case .needsInput: return true
            case .interrupted where pauses.contains(.clientIsFull): return true
            case .interrupted:
                noteShareUsed(share)
                return true
            case .failed(.damaged):
                incoming.failure = damagedCoding("is damaged")
                return false
            case .failed(.tooLarge):
                incoming.failure = tooLarge("The response unpacks to more than ContentDecodingLimits allow")
                return false
            }
        }
        return true
    }

    /// Goes on with the rest later, or has it decided first what becomes of a response that is held back.
    private func noteShareUsed(_ share: TimeSpan) {
        guard incoming.question?.noteShareUsed(share) == true else { return postpone() }
        // Only the decision lets the engine continue, and the others do not wait for it.
        setClientFull(true)
        endSharing(.unshareable)
        askQuestion()
    }

    /// Postpones the exchange until the other transfers have run.
    func postpone() {
        guard !incoming.isPostponed else { return }
        incoming.isPostponed = true
        engine.postpone(transfer)
    }

    /// Goes on with what was received before, and returns the engine to other transfers when its share is used again.
    func continuePostponed() {
        guard client != nil, incoming.isPostponed else { return }
        incoming.isPostponed = false
        attempt?.forgetPieces()
        guard decodeWaiting() else { return failDecoding() }
        let isBehind = incoming.isPostponed && (incoming.decoder?.backlog ?? 0) > Self.largestBacklog
        setPause(.awaitsTurn, isBehind)
        engine.watch(transfer)
        finishIfDrained()
        // Its stream may have been given up while it was paused.
        attachAgain()
        if client != nil { liftPause() }
    }

    /// Ends the attempt because of what was found outside of libcurl's callbacks.
    private func failDecoding() {
        guard incoming.question != nil else { return failBody(attemptError) }
        // The response is known; its body matters only if it is delivered.
        let error = attemptError
        // If the attempt has ended already, the exchange may wait for a decision about the response.
        if phase == .running { endAttempt() }
        incoming.question?.failure = error
        incoming.hasEnded = true
        askQuestion()
    }
}
