import FerrySession

extension SessionManager {
    /// The session tasks are made in, made when it is first needed and again after a reset.
    public var session: URLSession { core.session }

    /// The configuration sessions are made with, as a copy.
    public var configuration: URLSessionConfiguration {
        core.configuration.copy() as? URLSessionConfiguration ?? core.configuration
    }

    /// Which `URLSession` the manager runs on.
    public var transport: SessionTransport { core.transport }

    /// The serial queue of the delegate callbacks; it does not limit how many requests run at once.
    public var operationQueue: OperationQueue { core.operationQueue }

    /// Ends the session.
    ///
    /// Without a reset, tasks made later fail with ``NetworkError/Code/sessionInvalidated``.
    ///
    /// - Parameters:
    ///   - cancellingTasks: Whether running tasks are cancelled rather than finished.
    ///   - resettingSession: Whether the next task gets a new session.
    public func invalidate(cancellingTasks: Bool, resettingSession: Bool = false) {
        core.invalidate(cancellingTasks ? .cancelling : .finishing, resetting: resettingSession)
    }
}
