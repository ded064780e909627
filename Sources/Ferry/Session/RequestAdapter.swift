import FerrySession

/// Changes a request before a task is made of it, to add a token or to sign it.
public protocol RequestAdapter: Sendable {
    /// Changes a request.
    ///
    /// Called on the thread that makes the task, for every request of the manager, the same one again when it is retried.
    ///
    /// - Parameter request: The request as it is so far.
    /// - Returns: The request to send.
    /// - Throws: Why the request must not be sent; the task then fails with this error.
    func adapt(_ request: URLRequest) throws -> URLRequest
}
