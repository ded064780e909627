/// The commands that wait for an engine, and its current user: a value without side effects, behind a lock.
package struct EngineInbox {
    /// The thread that may use the engine.
    package enum Holder {
        /// Its own thread, awake or asleep.
        case thread
        /// No thread: its own sleeps, and no transfer is in progress.
        case none
        /// The thread of a caller that has submitted a request, for one turn.
        case caller
    }

    /// The action that a caller must take after it has submitted a command.
    package enum Submission {
        case done
        case wakeThread
        case startThread
        /// Perform the command itself; the caller has the engine until ``giveBack(isIdle:isHeard:)``.
        case runInline
    }

    private var commands: [EngineCommand] = []
    package private(set) var isStarted = false
    package private(set) var isStopped = false
    private var holder = Holder.thread
    /// Whether the thread checks for commands before it sleeps, so that it need not be woken.
    private var isAwake = false
    /// Whether the sleeping thread also waits for the connections.
    private var isListening = false

    /// Adds a command, and returns what its caller must do.
    package mutating func add(_ command: EngineCommand, mayRunInline: Bool) -> Submission {
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
    package mutating func stop() -> Bool {
        isStopped = true
        if holder == .none { holder = .thread }
        return isStarted
    }

    // MARK: - The engine's thread

    /// Moves the commands to an empty array that has room; returns whether the engine is stopped.
    package mutating func take(_ taken: inout [EngineCommand]) -> Bool {
        swap(&taken, &commands)
        isAwake = false
        return isStopped
    }

    /// Returns whether the thread may wait for its connections; a new command wakes it then.
    package mutating func beginWait(isIdle: Bool) -> Bool {
        guard commands.isEmpty, !isStopped || !isIdle else { return false }
        isAwake = false
        return true
    }

    /// Makes the engine available to callers, if there is nothing to do; the thread must sleep then.
    package mutating func makeAvailable() -> Bool {
        guard commands.isEmpty, !isStopped else { return false }
        (holder, isListening) = (.none, true)
        return true
    }

    /// Returns whether the thread, which has been woken, has the engine; if not, it must sleep without listening.
    package mutating func noteWakeUp() -> Bool {
        isListening = false
        return holder == .thread
    }

    // MARK: - The caller

    /// Ends the caller's turn, and returns whether the thread must be woken.
    ///
    /// An idle engine stays available. `isHeard` indicates that whatever happens next would wake a listening thread.
    package mutating func giveBack(isIdle: Bool, isHeard: Bool) -> Bool {
        let isQuiet = commands.isEmpty && !isStopped
        holder = isQuiet && isIdle ? .none : .thread
        if isQuiet, isIdle || (isHeard && isListening) {
            isAwake = false
            return false
        }
        return true
    }
}

/// A command for the engine, which is performed on the thread that has it.
package enum EngineCommand: Sendable {
    case start(any TransferReceiver, priority: Float)
    case run(@Sendable () -> Void)
}
