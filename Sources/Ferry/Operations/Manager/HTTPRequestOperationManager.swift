import FerrySession

/// Makes operations for the requests of an HTTP service, and runs them in a queue.
///
/// ```swift
/// let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://example.com/api"))
/// manager.operationQueue.maxConcurrentOperationCount = 2
/// manager.get("users/1", success: { operation, object in print(object ?? "nothing") })
/// ```
///
/// Settings are taken when an operation is made. All members may be used from any thread.
///
/// AFNetworking: `AFHTTPRequestOperationManager`.
open class HTTPRequestOperationManager: @unchecked Sendable {
    // Unchecked since the class is open; its own state is immutable or locked.

    private struct Settings: Sendable {
        var operationQueue = OperationQueue()
        var credential: URLCredential?
        var shouldUseCredentialStorage = true
    }

    /// What makes the requests and runs them.
    public let sessionManager: HTTPSessionManager

    private let settings = Locked(Settings())

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - baseURL: What relative paths are resolved against; nil takes absolute URLs only.
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: Which `URLSession` to run on.
    public convenience init(
        baseURL: URL? = nil,
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl
    ) {
        self.init(
            sessionManager: HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
        )
    }

    /// Makes a manager on a session manager, whose serializers, policy and queues are its own.
    ///
    /// - Parameter sessionManager: What makes the requests and runs them.
    public init(sessionManager: HTTPSessionManager) {
        self.sessionManager = sessionManager
    }

    /// What relative paths are resolved against, with a slash at its end.
    public var baseURL: URL? { sessionManager.baseURL }

    /// Encodes the parameters; a form by default.
    public var requestSerializer: any ConfigurableRequestSerializer {
        get { sessionManager.requestSerializer }
        set { sessionManager.requestSerializer = newValue }
    }

    /// Validates and parses the responses; JSON by default.
    public var responseSerializer: any ValidatingResponseSerializer {
        get { sessionManager.responseSerializer }
        set { sessionManager.responseSerializer = newValue }
    }

    /// Where the operations of the verbs run; its `maxConcurrentOperationCount` is yours to set.
    public var operationQueue: OperationQueue {
        get { settings.withLock { $0.operationQueue } }
        set { settings.withLock { $0.operationQueue = newValue } }
    }

    /// What the operations answer a first challenge with.
    public var credential: URLCredential? {
        get { settings.withLock { $0.credential } }
        set { settings.withLock { $0.credential = newValue } }
    }

    /// Whether challenges may be answered from the credential storage; true by default.
    public var shouldUseCredentialStorage: Bool {
        get { settings.withLock { $0.shouldUseCredentialStorage } }
        set { settings.withLock { $0.shouldUseCredentialStorage = newValue } }
    }

    /// Where completions run; a queue of the library's by default.
    public var completionQueue: DispatchQueue {
        get { sessionManager.completionQueue }
        set { sessionManager.completionQueue = newValue }
    }

    /// The group an operation is in from its making until its completions have run.
    public var completionGroup: DispatchGroup {
        get { sessionManager.completionGroup }
        set { sessionManager.completionGroup = newValue }
    }

    /// Which servers the operations trust; see ``setSecurityPolicy(_:)``.
    public var securityPolicy: SecurityPolicy {
        get { sessionManager.securityPolicy }
        @available(*, unavailable, message: "write 'try manager.setSecurityPolicy(policy)', which can throw")
        set {}
    }

    /// Sets which servers the operations trust.
    ///
    /// - Parameter policy: The policy.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` for pins without an `https` base URL.
    open func setSecurityPolicy(_ policy: SecurityPolicy) throws(NetworkError) {
        try sessionManager.setSecurityPolicy(policy)
    }

    /// Makes an operation with the manager's settings; it is not started.
    ///
    /// Every operation of the verbs is made here.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - success: Receives the operation and its ``HTTPRequestOperation/responseObject``.
    ///   - failure: Receives the operation and its error.
    /// - Returns: The operation.
    open func operation(
        with request: URLRequest,
        success: (@Sendable (HTTPRequestOperation, (any Sendable)?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation, NetworkError) -> Void)? = nil
    ) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: request, manager: sessionManager)
        let settings = settings.withLock { $0 }
        operation.responseSerializer = responseSerializer
        operation.credential = settings.credential
        operation.shouldUseCredentialStorage = settings.shouldUseCredentialStorage
        operation.completionQueue = completionQueue
        operation.completionGroup = completionGroup
        operation.completion(success: success, failure: failure)
        return operation
    }

    /// Gives a manager with the same base URL, configuration, serializers and policy, and a queue of its own.
    ///
    /// - Returns: The manager.
    open func copy() -> HTTPRequestOperationManager {
        HTTPRequestOperationManager(sessionManager: sessionManager.copy())
    }
}
