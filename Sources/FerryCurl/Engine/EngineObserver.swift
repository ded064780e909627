/// An object that is notified of the engine's turns, on the thread that has the engine.
package protocol EngineObserver: AnyObject, Sendable {
    /// A turn has begun on this thread.
    func engineDidBeginTurn()
    /// A turn is over, and all transfers have received its events.
    func engineDidEndTurn()
    /// A turn begins although the engine was stopped, because transfers are in progress.
    func engineIsStopping()
    /// This thread does not have the engine any more.
    func engineDidLeaveThread()
}
