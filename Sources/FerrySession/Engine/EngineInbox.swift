/// What an engine has been asked, and who has the engine: a rule without side effects, kept behind the engine's lock.
struct EngineInbox {
    /// Who may touch the engine.
    enum Holder {
        /// Its own thread, be it awake or not.
        case thread
        /// Nobody: the thread sleeps with nothing under way.
        case nobody
        /// Who has brought a request meanwhile, for one turn.
        case borrower
    }

    /// What whoever brings a command has to do about it.
    enum Delivery {
        case done
        case wakeThread
        case startThread
        /// To carry it out himself: the engine is his until ``giveBack(isIdle:isHeard:)``.
        case carryOut
    }

    private var commands: [EngineCommand] = []
    private(set) var isStarted = false
    private(set) var isStopped = false
    private var holder = Holder.thread
    /// Whether the thread looks here before it sleeps, so that nobody need wake it.
    private var isAwake = false
    /// Whether the sleeping thread hears what the connection it has used last brings.
    private var isListening = false

    /// Takes a command in.
    mutating func add(_ command: EngineCommand, mayBeCarriedOut: Bool) -> Delivery {
        if isStopped { return .done }
        if holder == .nobody {
            isAwake = true
            holder = mayBeCarriedOut ? .borrower : .thread
            if holder == .borrower { return .carryOut }
            commands.append(command)
            return .wakeThread
        }
        commands.append(command)
        defer { (isStarted, isAwake) = (true, true) }
        return !isStarted ? .startThread : isAwake ? .done : .wakeThread
    }

    /// Takes no command from now on; answers whether there is a thread to wake.
    mutating func stop() -> Bool {
        isStopped = true
        if holder == .nobody { holder = .thread }
        return isStarted
    }

    // MARK: - The thread

    /// Gives out what has been asked, for an empty list with room; answers whether that was all there will be.
    mutating func take(_ taken: inout [EngineCommand]) -> Bool {
        swap(&taken, &commands)
        isAwake = false
        return isStopped
    }

    /// Whether the thread may wait for its connections; who brings a command wakes it then.
    mutating func mayWait(isIdle: Bool) -> Bool {
        guard commands.isEmpty, !isStopped || !isIdle else { return false }
        isAwake = false
        return true
    }

    /// Lets others have the engine, if there is nothing to do; the thread must sleep then.
    mutating func park(isListening: Bool) -> Bool {
        guard commands.isEmpty, !isStopped else { return false }
        (holder, self.isListening) = (.nobody, isListening)
        return true
    }

    /// Whether the thread, which has been woken, has the engine; if not, it sleeps on without listening.
    mutating func comeBack() -> Bool {
        isListening = false
        return holder == .thread
    }

    // MARK: - The borrower

    /// Ends a loan; answers whether the thread must be woken.
    ///
    /// An idle engine may be lent again. What is heard waits for nothing but what a listening thread notices by itself.
    mutating func giveBack(isIdle: Bool, isHeard: Bool) -> Bool {
        let isQuiet = commands.isEmpty && !isStopped
        holder = isQuiet && isIdle ? .nobody : .thread
        if isQuiet, isIdle || (isHeard && isListening) {
            isAwake = false
            return false
        }
        return true
    }
}
