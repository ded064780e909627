/// An object that is notified of the engine's thread and its turns, on the thread that has the engine.
package protocol EngineObserver: AnyObject, Sendable {
    /// The engine's own thread has begun.
    func engineDidStart()
    /// A turn is over, and all transfers have received its events.
    func engineDidEndTurn()
    /// A turn begins although the engine was stopped, because transfers are in progress.
    func engineIsStopping()
    /// The engine's own thread ends.
    func engineDidStop()
}
