/// Runs a turn of the engine on a caller's thread, while the engine's own thread sleeps and no transfer is in progress.
///
/// The request is sent without waking another thread; often the sleeping one notices the response by itself.
extension TransferEngine {
    /// What the sleeping thread notices without being woken.
    package struct Sleep {
        /// The socket of the connection that was used last.
        package var socket: Int32?
        /// When it checks the deadlines.
        package var end: MonotonicTime?
        /// The socket of the connection on which the last transfer ended, for the next sleep.
        var idleSocket: Int32?
        /// Whether a socket has been opened since, whose number may be that of one that was closed.
        var hasNewSocket = false
    }

    /// Whether a request without a body begins without waiting and without user code, so that any thread may begin it.
    package var mayRunInline: Bool {
        runtime.supportsAsynchronousDNS && settings.isSelfContained && trust.current.policy == nil
    }

    /// Performs a command and the turn that begins its request, on the caller's thread.
    package func runInline(_ command: EngineCommand) {
        perform(command)
        beginTurn()
        multi.performQuietly()
        endTurn()
        let isIdle = isIdle
        let isHeard = !isIdle && isHeardAsleep
        let mustWake = inbox.withLock { $0.giveBack(isIdle: isIdle, isHeard: isHeard) }
        if mustWake { multi.wakeUp() }
    }

    /// Whether everything that can happen next would wake the thread from its sleep.
    private var isHeardAsleep: Bool {
        guard let socket = sleep.socket, let end = sleep.end, !sleep.hasNewSocket, end == deadlines.next,
            postponed.isEmpty
        else { return false }
        // A response that has begun already may need the additional turn, which the sleeping thread does not take.
        if additionalTurns.isDue, active.values.contains(where: { $0.status != nil }) { return false }
        return multi.waitsOnly(for: socket, milliseconds: milliseconds(until: end))
    }

    /// Sleeps, and leaves the engine to callers, until there is work; returns whether a connection has input.
    func sleepAvailable() -> Bool {
        sleep = Sleep(socket: sleep.idleSocket, end: deadlines.next)
        var (socket, end) = (sleep.socket, sleep.end.map { milliseconds(until: $0) })
        guard inbox.withLock({ $0.makeAvailable(isListening: socket != nil) }) else { return false }
        while true {
            let isReadable = multi.sleep(socket, milliseconds: end)
            if inbox.withLock({ $0.comeBack() }) { return isReadable }
            // The server has closed the connection, or a caller has the engine and wakes the thread when it is done.
            (socket, end) = (nil, nil)
        }
    }

    func noteNewSocket() { sleep.hasNewSocket = true }
}
