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
        /// Paused; what has arrived is kept.
        case paused = -1

        /// Waiting to be started, by its queue or directly.
        case ready = 1

        /// Running.
        case executing = 2

        /// Finished, with a result or an error.
        case finished = 3

        /// Returns whether an operation may go from this state to another one.
        ///
        /// - Parameters:
        ///   - next: The other state.
        ///   - isCancelled: Whether the operation has been cancelled.
        /// - Returns: Whether the transition is allowed.
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
