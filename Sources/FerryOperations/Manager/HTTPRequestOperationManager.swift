/// A manager that makes operations for the requests of an HTTP service and runs them in a queue.
///
/// ```swift
/// let manager = HTTPRequestOperationManager(
///     baseURL: URL(string: "https://example.com/api")
/// )
/// manager.operationQueue.maxConcurrentOperationCount = 2
/// manager.get(
///     "users/1",
///     success: { operation, object in print(object ?? "nothing") }
/// )
/// ```
///
/// An operation uses the settings the manager has when it is made. All members may be used from any thread.
///
/// AFNetworking: `AFHTTPRequestOperationManager`.
open class HTTPRequestOperationManager: @unchecked Sendable {
    // Unchecked since the class is open; its own state is immutable or locked.

    private struct Settings: Sendable {
        var operationQueue = OperationQueue()
        var credential: URLCredential?
        var shouldUseCredentialStorage = true
    }

    /// The session manager that makes the requests and runs them.
    public let sessionManager: HTTPSessionManager

    private let settings = Mutex(Settings())

    /// Creates a manager with a session manager for the base URL; without one, only absolute URLs can be used.
    public convenience init(
        baseURL: URL? = nil,
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl
    ) {
        self.init(
            sessionManager: HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
        )
    }

    /// Creates a manager that uses a session manager's serializers, policy and queues.
    public init(sessionManager: HTTPSessionManager) { self.sessionManager = sessionManager }

    /// The base URL for relative paths, ending with a slash.
    public var baseURL: URL? { sessionManager.baseURL }

    /// The serializer that encodes the parameters; as a form by default.
    public var requestSerializer: any ConfigurableRequestSerializer {
        get { sessionManager.requestSerializer }
        set { sessionManager.requestSerializer = newValue }
    }

    /// The serializer that validates and parses the responses; as JSON by default.
    public var responseSerializer: any ValidatingResponseSerializer {
        get { sessionManager.responseSerializer }
        set { sessionManager.responseSerializer = newValue }
    }

    /// The reachability of the base URL's host, or of the network as a whole; see `SessionManager.reachability`.
    ///
    /// AFNetworking: `reachabilityManager`.
    public var reachability: ReachabilityManager {
        get { sessionManager.reachability }
        set { sessionManager.reachability = newValue }
    }

    /// The queue in which the operations of the verbs run; you may set its `maxConcurrentOperationCount`.
    public var operationQueue: OperationQueue {
        get { settings.withLock { $0.operationQueue } }
        set { settings.withLock { $0.operationQueue = newValue } }
    }

    /// The credential of the operations; see ``RequestOperation/credential``.
    public var credential: URLCredential? {
        get { settings.withLock { $0.credential } }
        set { settings.withLock { $0.credential = newValue } }
    }

    /// A Boolean value that indicates whether challenges may be answered from the credential storage; true by default.
    public var shouldUseCredentialStorage: Bool {
        get { settings.withLock { $0.shouldUseCredentialStorage } }
        set { settings.withLock { $0.shouldUseCredentialStorage = newValue } }
    }

    /// The queue on which completions run; a private queue by default.
    public var completionQueue: DispatchQueue {
        get { sessionManager.completionQueue }
        set { sessionManager.completionQueue = newValue }
    }

    /// The group that an operation enters when it is made and leaves when its completions have run.
    public var completionGroup: DispatchGroup {
        get { sessionManager.completionGroup }
        set { sessionManager.completionGroup = newValue }
    }

    /// The rules by which the operations trust servers; to set it, use ``setSecurityPolicy(_:)``.
    public var securityPolicy: SecurityPolicy {
        get { sessionManager.securityPolicy }
        @available(*, unavailable, message: "write 'try manager.setSecurityPolicy(policy)', which can throw")
        set {}
    }

    /// Sets the rules by which the operations trust servers; see `HTTPSessionManager.setSecurityPolicy(_:)`.
    open func setSecurityPolicy(_ policy: SecurityPolicy) throws(NetworkError) {
        try sessionManager.setSecurityPolicy(policy)
    }

    /// Makes an operation with the manager's settings, without starting it.
    ///
    /// The verbs make all their operations with this method.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - success: Called with the operation and its ``HTTPRequestOperation/responseObject``.
    ///   - failure: Called with the operation and its error.
    /// - Returns: The operation.
    open func operation(
        with request: URLRequest,
        success: (@Sendable (HTTPRequestOperation, (any Sendable)?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation, NetworkError) -> Void)? = nil
    ) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: request, manager: sessionManager)
        let settings = settings.withLock { $0 }
        operation.responseSerializer = responseSerializer
        operation.securityPolicy = securityPolicy
        operation.credential = settings.credential
        operation.shouldUseCredentialStorage = settings.shouldUseCredentialStorage
        operation.completionQueue = completionQueue
        operation.completionGroup = completionGroup
        operation.setCompletion(success: success, failure: failure)
        return operation
    }

    /// Returns a manager with the same base URL, configuration, serializers and policy, and a new operation queue.
    open func copy() -> HTTPRequestOperationManager {
        HTTPRequestOperationManager(sessionManager: sessionManager.copy())
    }
}
