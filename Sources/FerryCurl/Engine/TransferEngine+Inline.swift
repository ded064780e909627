/// Runs a turn of the engine on a caller's thread, while the engine's own thread sleeps and no transfer is in progress.
///
/// The request is sent without waking another thread; often the sleeping one notices the response by itself.
extension TransferEngine {
    /// Whether a request without a body begins without waiting and without user code, so that any thread may begin it.
    package var mayRunInline: Bool {
        runtime.supportsAsynchronousDNS && settings.isSelfContained && trust.current.policy == nil
    }

    /// Performs a command and the turn that begins its request, on the caller's thread.
    package func runInline(_ command: EngineCommand) {
        beginTurn()
        perform(command)
        performTurnInline()
        let isIdle = isIdle
        let isHeard = !isIdle && isHeardAsleep
        let mustWake = inbox.withLock { $0.giveBack(isIdle: isIdle, isHeard: isHeard) }
        if mustWake { multi.wakeUp() }
    }

    /// Whether everything that can happen next would wake the thread from its sleep.
    private var isHeardAsleep: Bool {
        guard let end = deadlines.sleepEnd, end == deadlines.next, postponed.isEmpty, !admission.isBehind else {
            return false
        }
        // A response that has begun already may need the additional turn, which the sleeping thread does not take.
        if additionalTurns.time != nil, active.values.contains(where: { $0.status != nil }) { return false }
        return !multi.hasTimer(within: milliseconds(until: end))
    }

    /// Sleeps, and leaves the engine to callers, until there is something to do.
    func sleepAvailable() {
        deadlines.beginSleep()
        let end = deadlines.sleepEnd.map { milliseconds(until: $0) }
        guard inbox.withLock({ $0.makeAvailable() }) else { return }
        multi.listen(milliseconds: end)
        // Otherwise a caller has the engine, and wakes the thread when it is done, or there is nothing to do.
        while !inbox.withLock({ $0.noteWakeUp() }) { multi.sleep(milliseconds: nil) }
    }
}
