extension RequestOperation {
    /// The state of an operation.
    ///
    /// | from / to | paused | ready | executing | finished |
    /// | --- | --- | --- | --- | --- |
    /// | ready | yes | | yes | if cancelled |
    /// | executing | yes | | | yes |
    /// | paused | | yes | | |
    /// | finished | | | | |
    ///
    /// A transition that is not in the table is ignored.
    public enum State: Int, Sendable, Hashable, CaseIterable, Codable {
        /// Paused; the part of the response that has arrived is kept.
        case paused = -1

        /// Waiting to be started, by its queue or directly.
        case ready = 1

        /// Running.
        case executing = 2

        /// Finished, with a result or an error.
        case finished = 3

        /// Returns whether an operation, cancelled or not, may go from this state to another one.
        package func canBecome(_ next: State, isCancelled: Bool) -> Bool {
            switch self {
            case .ready: next == .paused || next == .executing || (next == .finished && isCancelled)
            case .executing: next == .paused || next == .finished
            case .paused: next == .ready
            case .finished: false
            }
        }

        /// The name of the operation's property that indicates this state.
        var key: String {
            switch self {
            case .paused: "isPaused"
            case .ready: "isReady"
            case .executing: "isExecuting"
            case .finished: "isFinished"
            }
        }
    }
}

/// The state machine of an operation, which decides what follows from an event but does not perform it.
struct OperationMachine: Sendable, Hashable {
    typealias State = RequestOperation.State

    /// The action that follows from an event, such as a pause.
    enum Effect: Sendable, Hashable {
        case nothing
        /// Begin a transfer.
        case begin
        /// Cancel the transfer and keep what has arrived.
        case interrupt
        /// Cancel the transfer if there is one, and end with the error of a cancelled request.
        case concludeCancelled
        /// End with the result of the transfer.
        case conclude
        /// Publish that the operation has finished, and call its completions.
        case deliver
    }

    /// A transition from one state to another.
    struct Change: Sendable, Hashable {
        let old: State
        let new: State
    }

    private(set) var state: State
    private(set) var isCancelled = false
    /// Whether its queue or its owner has started it; resuming then has to start it again, because the queue will not.
    private(set) var isStarted = false
    /// Whether the operation is ending; from then on, only `finish` changes its state.
    private(set) var isEnding = false
    /// Whether its end has been delivered.
    private(set) var isDelivered = false
    /// The transitions that have not been published yet.
    private(set) var changes: [Change] = []

    /// Creates a machine; a finished one is from an archive, and delivers its end when it is started.
    init(state: State = .ready, isCancelled: Bool = false) {
        self.state = state
        self.isCancelled = isCancelled
    }

    /// Returns and removes the transitions to publish.
    mutating func takeChanges() -> [Change] {
        defer { changes = [] }
        return changes
    }

    mutating func start() -> Effect {
        switch state {
        case .ready where isEnding: return .nothing
        case .ready:
            isStarted = true
            guard !isCancelled else { return conclude(.concludeCancelled) }
            return move(to: .executing) ? .begin : .nothing
        case .paused:
            isStarted = true
            return .nothing
        case .executing: return .nothing
        case .finished:
            guard !isDelivered else { return .nothing }
            isDelivered = true
            return .deliver
        }
    }

    mutating func pause() -> Effect {
        guard !isCancelled, !isEnding else { return .nothing }
        let wasExecuting = state == .executing
        return move(to: .paused) && wasExecuting ? .interrupt : .nothing
    }

    mutating func resume() -> Effect {
        guard state == .paused, move(to: .ready), isStarted else { return .nothing }
        return move(to: .executing) ? .begin : .nothing
    }

    mutating func cancel() -> Effect {
        guard !isCancelled, state != .finished else { return .nothing }
        isCancelled = true
        switch state {
        case .ready, .finished: return .nothing
        case .executing: return isEnding ? .nothing : conclude(.concludeCancelled)
        case .paused:
            // A paused operation cannot finish; a ready one that is cancelled can.
            guard move(to: .ready), isStarted else { return .nothing }
            return conclude(.concludeCancelled)
        }
    }

    /// Handles the end of the transfer, with an error or without.
    mutating func endTransfer() -> Effect {
        guard state == .executing, !isEnding else { return .nothing }
        return conclude(.conclude)
    }

    /// Finishes, now that everything needed for the end is ready.
    mutating func finish() -> Effect {
        guard isEnding, move(to: .finished) else { return .nothing }
        isDelivered = true
        return .deliver
    }

    private mutating func conclude(_ effect: Effect) -> Effect {
        isEnding = true
        return effect
    }

    private mutating func move(to next: State) -> Bool {
        guard state.canBecome(next, isCancelled: isCancelled) else { return false }
        changes.append(Change(old: state, new: next))
        state = next
        return true
    }
}
