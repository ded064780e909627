/// What becomes of an operation when it is started, paused, resumed, cancelled or through: decisions without actions.
struct OperationMachine: Sendable, Hashable {
    typealias State = RequestOperation.State

    /// What happens to an operation.
    enum Event: Sendable, Hashable, CaseIterable {
        /// Its queue or its owner starts it.
        case start
        /// Its owner pauses it.
        case pause
        /// Its owner resumes it.
        case resume
        /// Its owner cancels it.
        case cancel
        /// Its transfer is over, one way or the other.
        case transferEnd
        /// Everything is ready for its end.
        case finish
    }

    /// What is to be done about it.
    enum Effect: Sendable, Hashable {
        /// Nothing.
        case nothing
        /// Begin a transfer.
        case begin
        /// Break the transfer off and keep what has arrived.
        case interrupt
        /// Break the transfer off if there is one, and end with the error of a cancelled request.
        case concludeCancelled
        /// End with what the transfer came to.
        case conclude
        /// Tell everyone that the operation is finished.
        case deliver
    }

    /// A step from one state to another.
    struct Change: Sendable, Hashable {
        let old: State
        let new: State
    }

    /// Where the operation is.
    private(set) var state: State

    /// Whether it has been cancelled.
    private(set) var isCancelled = false

    /// Whether its queue or its owner has started it, so that nobody else will once it goes on.
    private(set) var isStarted = false

    /// Whether its end is under way: nothing changes it any more.
    private(set) var isEnding = false

    /// Whether everyone has been told of its end.
    private(set) var isDelivered = false

    /// The steps nobody has been told of yet.
    private(set) var changes: [Change] = []

    /// Makes a machine; one that begins finished comes from an archive, and delivers its end when it is started.
    init(state: State = .ready, isCancelled: Bool = false) {
        self.state = state
        self.isCancelled = isCancelled
    }

    /// Takes an event, which may change nothing.
    mutating func take(_ event: Event) -> Effect {
        switch event {
        case .start: start()
        case .pause: pause()
        case .resume: resume()
        case .cancel: cancel()
        case .transferEnd: endTransfer()
        case .finish: finish()
        }
    }

    /// Hands out the steps to tell.
    mutating func takeChanges() -> [Change] {
        defer { changes = [] }
        return changes
    }

    private mutating func start() -> Effect {
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

    private mutating func pause() -> Effect {
        guard !isCancelled, !isEnding else { return .nothing }
        let wasExecuting = state == .executing
        return move(to: .paused) && wasExecuting ? .interrupt : .nothing
    }

    private mutating func resume() -> Effect {
        guard state == .paused, move(to: .ready), isStarted else { return .nothing }
        return move(to: .executing) ? .begin : .nothing
    }

    private mutating func cancel() -> Effect {
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

    private mutating func endTransfer() -> Effect {
        guard state == .executing, !isEnding else { return .nothing }
        return conclude(.conclude)
    }

    private mutating func finish() -> Effect {
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
