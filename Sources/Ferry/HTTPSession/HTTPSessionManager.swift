/// A manager that sends requests to an HTTP service, with a base URL, serializers and a method for each verb.
///
/// ```swift
/// let manager = HTTPSessionManager(
///     baseURL: URL(string: "https://example.com/api")
/// )
/// let user = try await manager.get("users/1", as: User.self)
/// ```
///
/// Each verb has a version with a completion handler, whose response the manager's serializer decodes, and `async`
/// versions. They send a ``Request``, the value that describes a call; ``send(_:)`` sends one that needs more than a
/// verb's parameters. All of them use ``makeRequest(_:)`` and ``SessionManager/adapt(_:)``.
///
/// AFNetworking: `AFHTTPSessionManager`.
open class HTTPSessionManager: SessionManager, @unchecked Sendable {
    // Unchecked since the class is open; its own state is immutable or locked.

    /// The URL that relative paths are resolved against, with a slash at its end; nil if all URLs must be absolute.
    public let baseURL: URL?

    private let serializer = Mutex<any ConfigurableRequestSerializer>(HTTPRequestSerializer())

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against.
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: The kind of `URLSession` to run on.
    public init(
        baseURL: URL?,
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl
    ) {
        self.baseURL = baseURL.map(BaseURL.normalize)
        super.init(configuration: configuration, transport: transport)
        core.reachabilityTarget.withLock { $0 = self.baseURL.flatMap(ReachabilityTarget.init) }
    }

    /// Creates a manager without a base URL, for absolute URLs.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: The kind of `URLSession` to run on.
    override public convenience init(
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl
    ) {
        self.init(baseURL: nil, configuration: configuration, transport: transport)
    }

    /// Returns a new manager with the same base URL, configuration, transport, serializers and settings.
    ///
    /// The settings are those that ``takeSettings(of:)`` copies, but not the hooks, monitors, queues and groups.
    ///
    /// - Returns: The new manager.
    override open func copy() -> HTTPSessionManager {
        let copy = HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport.ofCopies)
        copy.takeSettings(of: self)
        return copy
    }

    /// Copies the settings of another manager, except base URL, configuration and transport.
    ///
    /// Unlike ``setSecurityPolicy(_:)``, it accepts a policy that pins even if the base URL is not `https`: the policy
    /// then protects only requests with an absolute `https` URL.
    ///
    /// - Parameter original: The manager to copy from; its request serializer is copied if it is an
    ///   ``HTTPSessionManager``.
    override open func takeSettings(of original: SessionManager) {
        super.takeSettings(of: original)
        if let original = original as? HTTPSessionManager { requestSerializer = original.requestSerializer }
    }

    /// Creates a manager that trusts servers according to a policy.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative paths are resolved against; its scheme must be `https` if the policy pins.
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: The kind of `URLSession` to run on.
    ///   - securityPolicy: The policy that decides which servers the sessions trust.
    /// - Throws: The errors of ``setSecurityPolicy(_:)``.
    public convenience init(
        baseURL: URL?,
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl,
        securityPolicy: SecurityPolicy
    ) throws(NetworkError) {
        self.init(baseURL: baseURL, configuration: configuration, transport: transport)
        try setSecurityPolicy(securityPolicy)
    }

    /// The serializer of requests without one of their own; by default it encodes parameters as a query or a form.
    ///
    /// Its options may be changed in place, as in `manager.requestSerializer.timeoutInterval = 10`. Such a change reads
    /// and writes the property: if two threads make one at the same time, one of them may be lost.
    public var requestSerializer: any ConfigurableRequestSerializer {
        get { serializer.withLock { $0 } }
        set { serializer.replace(\.self, with: newValue) }
    }

    /// Builds the URL request for a call from its URL, options, parameters, multipart form, header fields and timeout.
    ///
    /// - Parameter request: The call.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or the error that the serializer or the form throws.
    open func makeRequest<Value>(_ request: Request<Value>) throws -> URLRequest {
        let url = try BaseURL.resolve(request.path, against: baseURL)
        let serializer = request.requestSerializer ?? requestSerializer
        var result: URLRequest
        if let constructingBody = request.multipartForm, request.body == nil {
            result = try serializer.makeMultipartRequest(
                method: request.method,
                url: url,
                parameters: request.parameters,
                headers: request.headers,
                constructingBodyWith: constructingBody
            )
        } else {
            result = try serializer.makeRequest(
                method: request.method,
                url: url,
                parameters: request.parameters,
                headers: request.headers
            )
        }
        if let body = request.body {
            // The serializer's `Content-Type` is for its own body, which is replaced here.
            let isGiven = [request.headers, serializer.options.headers].contains { $0.contains("Content-Type") }
            if !isGiven, result.httpBody != nil { result.setValue(nil, forHTTPHeaderField: "Content-Type") }
            result.setBody(body)
        }
        if let timeoutInterval = request.timeoutInterval { result.timeoutInterval = timeoutInterval.asChosen }
        return result
    }

    /// Creates a suspended task for a call.
    ///
    /// - Parameters:
    ///   - request: The call. With a multipart form the task is an upload task.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The task; nil if the request could not be made, and the handler receives the error.
    public func task<Value>(
        for request: Request<Value>,
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) -> URLSessionDataTask? {
        let urlRequest: URLRequest
        do {
            urlRequest = try CompletionWaiter.hidden { try makeRequest(request) }
            if let refusal = request.recovery.refusal(by: session) { throw refusal }
        } catch {
            fail(with: NetworkError(requestSerialization: error), completionHandler)
            return nil
        }
        let task = makeTask(urlRequest, for: request, serializer: request.serializer(ownSerializer), completionHandler)
        request.recovery.apply(to: task)
        return task
    }

    /// Sets the policy that decides which servers the sessions trust.
    ///
    /// - Parameter policy: The policy.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` for a policy that pins without an
    ///   `https` base URL, where pinning would protect nothing; and the errors of
    ///   ``SessionManager/setSecurityPolicy(_:)``.
    override open func setSecurityPolicy(_ policy: SecurityPolicy) throws(NetworkError) {
        guard policy.pinningMode == .none || baseURL?.scheme?.lowercased() == "https" else {
            throw NetworkError(
                .invalidSecurityPolicy,
                message: "Pinning needs a base URL with the scheme https",
                failingURL: baseURL
            )
        }
        try super.setSecurityPolicy(policy)
    }

    private func makeTask<Value>(
        _ urlRequest: URLRequest,
        for request: Request<Value>,
        serializer: some ResponseSerializer<Value>,
        _ completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) -> URLSessionDataTask {
        guard urlRequest.httpBodyStream == nil else {
            return uploadTask(
                withStreamedRequest: urlRequest,
                serializer: serializer,
                progress: request.uploadProgress,
                completionHandler: completionHandler
            )
        }
        return dataTask(
            with: urlRequest,
            serializer: serializer,
            uploadProgress: request.uploadProgress,
            downloadProgress: request.downloadProgress,
            completionHandler: completionHandler
        )
    }

    private func fail<Value>(
        with error: NetworkError,
        _ completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) {
        let token = CompletionToken(completionGroup)
        let complete: @Sendable () -> Void = {
            completionHandler(TaskResponse(error: error))
            token.leave()
        }
        // A Swift task that awaits the response needs no queue.
        if CompletionWaiter.take()?.run(complete) != true { completionQueue.async(execute: complete) }
    }
}

extension HTTPSessionManager: CustomStringConvertible {
    /// The type and the base URL, without its user.
    public var description: String { "\(type(of: self))(\(baseURL?.presentableText ?? "no base URL"))" }
}
