extension RequestOperation {
    /// Where an operation is in its life.
    ///
    /// | from / to | paused | ready | executing | finished |
    /// | --- | --- | --- | --- | --- |
    /// | ready | yes | | yes | if cancelled |
    /// | executing | yes | | | yes |
    /// | paused | | yes | | |
    /// | finished | | | | |
    ///
    /// A transition that is not in the table does not take place.
    public enum State: Int, Sendable, Hashable, CaseIterable, Codable {
        /// Paused: what has arrived is kept.
        case paused = -1

        /// Waiting to be started by its queue or by hand.
        case ready = 1

        /// On its way.
        case executing = 2

        /// At its end, whatever that was.
        case finished = 3

        /// Whether an operation may go from this state to another one.
        ///
        /// - Parameters:
        ///   - next: The other state.
        ///   - isCancelled: Whether the operation has been cancelled.
        /// - Returns: Whether the transition is legal.
        public func canBecome(_ next: State, isCancelled: Bool) -> Bool {
            switch (self, next) {
            case (.ready, .paused), (.ready, .executing): true
            case (.ready, .finished): isCancelled
            case (.executing, .paused), (.executing, .finished): true
            case (.paused, .ready): true
            case (.ready, .ready): false
            case (.executing, .ready), (.executing, .executing): false
            case (.paused, .paused), (.paused, .executing), (.paused, .finished): false
            case (.finished, .paused), (.finished, .ready), (.finished, .executing), (.finished, .finished): false
            }
        }

        /// The property of the operation that says whether it is in this state.
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
