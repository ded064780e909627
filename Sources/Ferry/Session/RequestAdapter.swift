import Foundation

/// A change to every request of a manager before it is sent, such as adding a token or a signature.
public protocol RequestAdapter: Sendable {
    /// Returns the changed request to send.
    ///
    /// It is called on the thread that makes the task, for every request of the manager; also when an operation sends
    /// its request again after a pause.
    ///
    /// - Parameter request: The request, as changed by earlier adapters.
    /// - Returns: The request to send.
    /// - Throws: The reason why the request must not be sent; the task then fails with this error.
    func adapt(_ request: URLRequest) throws -> URLRequest
}
