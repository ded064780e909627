/// The commands that wait for an engine, and who may use the engine: a value without side effects, behind a lock.
struct EngineInbox {
    /// Who may touch the engine.
    enum Holder {
        /// Its own thread, awake or asleep.
        case thread
        /// No thread: its own sleeps, and no exchange is in progress.
        case none
        /// The thread of a caller that has submitted a request, for one turn.
        case caller
    }

    /// What the caller that has submitted a command must do.
    enum Submission {
        case done
        case wakeThread
        case startThread
        /// Perform the command itself; the caller has the engine until ``giveBack(isIdle:isHeard:)``.
        case runInline
    }

    private var commands: [EngineCommand] = []
    private(set) var isStarted = false
    private(set) var isStopped = false
    private var holder = Holder.thread
    /// Whether the thread checks for commands before it sleeps, so that it need not be woken.
    private var isAwake = false
    /// Whether the sleeping thread also waits for the connection that was used last.
    private var isListening = false

    /// Adds a command, and returns what its caller must do.
    mutating func add(_ command: EngineCommand, mayRunInline: Bool) -> Submission {
        if isStopped { return .done }
        if holder == .none {
            isAwake = true
            holder = mayRunInline ? .caller : .thread
            if holder == .caller { return .runInline }
            commands.append(command)
            return .wakeThread
        }
        commands.append(command)
        defer { (isStarted, isAwake) = (true, true) }
        return !isStarted ? .startThread : isAwake ? .done : .wakeThread
    }

    /// Accepts no more commands; returns whether there is a thread to wake.
    mutating func stop() -> Bool {
        isStopped = true
        if holder == .none { holder = .thread }
        return isStarted
    }

    // MARK: - The engine's thread

    /// Moves the commands to an empty array that has room; returns whether the engine is stopped.
    mutating func take(_ taken: inout [EngineCommand]) -> Bool {
        swap(&taken, &commands)
        isAwake = false
        return isStopped
    }

    /// Returns whether the thread may wait for its connections; a new command wakes it then.
    mutating func mayWait(isIdle: Bool) -> Bool {
        guard commands.isEmpty, !isStopped || !isIdle else { return false }
        isAwake = false
        return true
    }

    /// Makes the engine available to callers, if there is nothing to do; the thread must sleep then.
    mutating func makeAvailable(isListening: Bool) -> Bool {
        guard commands.isEmpty, !isStopped else { return false }
        (holder, self.isListening) = (.none, isListening)
        return true
    }

    /// Returns whether the thread, which has been woken, has the engine; if not, it must sleep without listening.
    mutating func comeBack() -> Bool {
        isListening = false
        return holder == .thread
    }

    // MARK: - The caller

    /// Ends the caller's turn, and returns whether the thread must be woken.
    ///
    /// An idle engine stays available. `isHeard` indicates that whatever happens next would wake a listening thread.
    mutating func giveBack(isIdle: Bool, isHeard: Bool) -> Bool {
        let isQuiet = commands.isEmpty && !isStopped
        holder = isQuiet && isIdle ? .none : .thread
        if isQuiet, isIdle || (isHeard && isListening) {
            isAwake = false
            return false
        }
        return true
    }
}

/// What the engine is asked to do, by tasks and by itself.
enum EngineCommand: Sendable {
    case task(TaskCommand, Exchange)
    /// The stream of the request's body has bytes again.
    case bodyAvailable(Exchange)
    /// An evaluator or a policy has decided about a connection that the exchange waits for.
    case trustDecided(Exchange, TrustQuestion, TrustDecision)
    /// A policy has said what libcurl verifies for the exchange's host.
    case verificationKnown(Exchange)
    /// The exchange holds a response back, and may send its request again instead of delivering it.
    case responseHeld(Exchange)
    /// Interceptors have answered the question with this number.
    case interceptorsAnswered(Exchange, Int, Exchange.InterceptorAnswer)
    /// The transfer that exchanges with the same request have waited for is over.
    case sharedTransferEnded([Exchange], SharedTransfer.End)
    /// Ends the validations of stored responses that no task waits for.
    case cancelRevalidations
    /// Forgets the credentials that were accepted, and the connections for which they were.
    case forgetCredentials
}
