/// Hears of the engine's turns, on the engine's thread.
protocol EngineObserver: AnyObject, Sendable {
    /// The thread runs.
    func engineDidStart()

    /// All that happened since the last turn has been told, and the thread goes to sleep or on.
    func engineDidEndTurn()

    /// The thread has had its last turn.
    func engineDidStop()
}
