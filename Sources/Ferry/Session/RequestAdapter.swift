/// A change to every request of a manager before its task is made.
///
/// Deprecated: a `RequestInterceptor` changes the request of each attempt, so that it also sees retries, redirects and
/// refused tokens. A change that must be made once for each call, or on another transport than Ferry's, is an override
/// of ``SessionManager/adapt(_:)``.
@available(*, deprecated, message: "conform to 'RequestInterceptor' instead")
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

extension SessionManager {
    /// The adapters that change each request before its task is made, in order.
    ///
    /// Deprecated: use ``interceptors``.
    @available(*, deprecated, message: "use 'interceptors' instead")
    public var adapters: [any RequestAdapter] {
        get { core.settings.withLock { $0.adaptations }.compactMap { $0.adapter as? any RequestAdapter } }
        set {
            let adaptations = newValue.map { adapter in
                RequestAdaptation(adapter: adapter) { request in try adapter.adapt(request) }
            }
            core.settings.replace(\.adaptations, with: adaptations)
        }
    }
}

/// A deprecated adapter with its method, which the manager calls without naming the protocol.
struct RequestAdaptation: Sendable {
    let adapter: any Sendable
    let adapt: @Sendable (URLRequest) throws -> URLRequest
}
