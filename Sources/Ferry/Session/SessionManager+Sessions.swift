import Foundation

extension SessionManager {
    /// The session that tasks are made in; it is created when it is first needed, and again after a reset.
    public var session: URLSession { core.session }

    /// A copy of the configuration that sessions are created with.
    public var configuration: URLSessionConfiguration {
        core.configuration.copy() as? URLSessionConfiguration ?? core.configuration
    }

    /// The kind of `URLSession` that the manager runs on.
    public var transport: SessionTransport { core.transport }

    /// The serial queue of the delegate callbacks; it does not limit the number of concurrent requests.
    public var operationQueue: OperationQueue { core.operationQueue }

    /// Invalidates the session.
    ///
    /// Without a reset, tasks made later fail with ``NetworkError/Code/sessionInvalidated``.
    ///
    /// - Parameters:
    ///   - cancellingTasks: Whether running tasks are cancelled instead of being finished.
    ///   - resettingSession: Whether the next task gets a new session.
    public func invalidate(cancellingTasks: Bool, resettingSession: Bool = false) {
        core.invalidate(cancellingTasks ? .cancelling : .finishing, resetting: resettingSession)
    }
}
