/// An object that is told about the engine's turns, on the engine's thread.
protocol EngineObserver: AnyObject, Sendable {
    /// The engine's thread has started.
    func engineDidStart()

    /// A turn is over: clients have been told everything that happened in it.
    func engineDidEndTurn()

    /// The engine's thread is about to end.
    func engineDidStop()
}
