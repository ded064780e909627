/// The engine on other threads: one that sleeps with nothing under way is lent to whoever brings a request.
///
/// The request is on its way before any other thread has had to wake up. Often none has to: the engine's own sleeps
/// where it hears the answer.
extension TransferEngine {
    /// What a sleeping thread notices by itself.
    struct Sleep {
        /// The socket of the connection that was used last.
        var socket: Int32?
        /// When it looks at the deadlines.
        var end: MonotonicTime?
        /// Whether a socket has been opened since: its number may be that of one which was closed.
        var hasNewSocket = false
    }

    /// Whether a command can neither wait nor run code of the user's, so that any thread may carry it out.
    func mayCarryOut(_ command: EngineCommand) -> Bool {
        guard case .start(let exchange, _) = command, exchange.body.isNone else { return false }
        return isSelfContained && trust.current.policy == nil
    }

    /// Takes the turn that begins a request, on the thread of whoever brings it.
    func carryOut(_ command: EngineCommand) {
        perform(command)
        beginTurn()
        multi.performQuietly()
        endTurn()
        let isIdle = active.isEmpty && waiting.isEmpty
        let isHeard = !isIdle && isHeardAsleep
        let mustWake = inbox.withLock { $0.giveBack(isIdle: isIdle, isHeard: isHeard) }
        if mustWake { multi.wakeUp() }
    }

    /// Whether all that can happen next would wake the thread where it sleeps.
    private var isHeardAsleep: Bool {
        guard let socket = sleep.socket, let end = sleep.end, !sleep.hasNewSocket, end == nextDeadline else {
            return false
        }
        // An answer that has begun to come already may be in need of the second look, which the sleeping thread has not.
        if secondLook.isDue, active.values.contains(where: { $0.status != nil }) { return false }
        return multi.waitsOnly(for: socket, milliseconds: milliseconds(until: end))
    }

    /// Sleeps, and lets others have the engine, until there is something for the thread itself.
    ///
    /// Answers whether a connection has something to read.
    func park() -> Bool {
        sleep = Sleep(socket: idleSocket, end: nextDeadline)
        idleSocket = nil
        var (socket, end) = (sleep.socket, sleep.end.map { milliseconds(until: $0) })
        guard inbox.withLock({ $0.park(isListening: socket != nil) }) else { return false }
        while true {
            let isReadable = multi.sleep(socket, milliseconds: end)
            if inbox.withLock({ $0.comeBack() }) { return isReadable }
            // The server has closed the connection, or somebody has the engine, and will say when he is done.
            (socket, end) = (nil, nil)
        }
    }

    /// Takes note that a connection is about to be opened.
    func noteNewSocket() {
        sleep.hasNewSocket = true
    }
}
