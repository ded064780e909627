import FerrySession

/// Sends requests to an HTTP service: a base URL, serializers and verbs.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://example.com/api"))
/// let user = try await manager.get("users/1", as: User.self)
/// ```
///
/// Each verb comes as a function with a completion handler and as an `async` one; ``send(_:)`` takes a ``Request`` that
/// describes a call as a value. All of them go through ``makeRequest(_:)`` and ``SessionManager/adapt(_:)``.
///
/// AFNetworking: `AFHTTPSessionManager`.
open class HTTPSessionManager: SessionManager, @unchecked Sendable {
    // Unchecked since the class is open; its own state is immutable or locked.

    /// What relative paths are resolved against, with a slash at its end; nil takes absolute URLs only.
    public let baseURL: URL?

    private let serializer = Locked<any ConfigurableRequestSerializer>(HTTPRequestSerializer())

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - baseURL: What relative paths are resolved against.
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: Which `URLSession` to run on.
    public init(
        baseURL: URL?,
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl
    ) {
        self.baseURL = baseURL.map(BaseURL.normalize)
        super.init(configuration: configuration, transport: transport)
        core.reachabilityTarget.withLock { $0 = self.baseURL.flatMap(ReachabilityTarget.init) }
    }

    /// Makes a manager without a base URL, for absolute URLs.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: Which `URLSession` to run on.
    override public convenience init(
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl
    ) {
        self.init(baseURL: nil, configuration: configuration, transport: transport)
    }

    /// Makes another manager with the same base URL, serializers, configuration, transport, policy and adapters.
    ///
    /// - Returns: The new manager.
    override open func copy() -> HTTPSessionManager {
        let copy = HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
        copy.takeSettings(of: self)
        return copy
    }

    /// Takes over what a copy has of its original apart from base URL, configuration and transport.
    ///
    /// - Parameter original: The manager that is copied; the request serializer comes from another HTTP manager only.
    override open func takeSettings(of original: SessionManager) {
        super.takeSettings(of: original)
        if let original = original as? HTTPSessionManager { requestSerializer = original.requestSerializer }
    }

    /// Makes a manager that trusts the servers its policy trusts.
    ///
    /// - Parameters:
    ///   - baseURL: What relative paths are resolved against; with pins its scheme must be `https`.
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: Which `URLSession` to run on.
    ///   - securityPolicy: Which servers the sessions trust.
    /// - Throws: What ``setSecurityPolicy(_:)`` throws.
    public convenience init(
        baseURL: URL?,
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl,
        securityPolicy: SecurityPolicy
    ) throws(NetworkError) {
        self.init(baseURL: baseURL, configuration: configuration, transport: transport)
        try setSecurityPolicy(securityPolicy)
    }

    /// Encodes the parameters of the requests that name no serializer of their own; a form by default.
    ///
    /// Its options may be changed in place, as in `manager.requestSerializer.timeoutInterval = 10`. Such a change reads and
    /// writes the property: of two at the same time in different threads one may be lost.
    public var requestSerializer: any ConfigurableRequestSerializer {
        get { serializer.withLock { $0 } }
        set { serializer.withLock { $0 = newValue } }
    }

    /// Makes the request for a call: URL, options, parameters, multipart form, headers and timeout.
    ///
    /// - Parameter request: The call.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, or an error of the serializer's or the form's own.
    open func makeRequest<Value>(_ request: Request<Value>) throws -> URLRequest {
        let url = try BaseURL.resolve(request.path, against: baseURL)
        let serializer = request.requestSerializer ?? requestSerializer
        var result: URLRequest
        if let constructingBody = request.multipartForm {
            result = try serializer.makeMultipartRequest(
                method: request.method,
                url: url,
                parameters: request.parameters,
                headers: request.headers,
                constructingBody: constructingBody
            )
        } else {
            result = try serializer.makeRequest(
                method: request.method,
                url: url,
                parameters: request.parameters,
                headers: request.headers
            )
        }
        if let timeoutInterval = request.timeoutInterval { result.timeoutInterval = timeoutInterval }
        return result
    }

    /// Makes the task for a call, suspended.
    ///
    /// - Parameters:
    ///   - request: The call. With a multipart form the task is an upload task.
    ///   - completionHandler: Receives what the call came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The task; nil if there is no request to send, which the handler is told too.
    public func task<Value>(
        for request: Request<Value>,
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) -> URLSessionDataTask? {
        let urlRequest: URLRequest
        do {
            urlRequest = try makeRequest(request)
        } catch {
            fail(with: NetworkError(requestSerialization: error), completionHandler)
            return nil
        }
        return makeTask(urlRequest, for: request, serializer: request.responseSerializer, completionHandler)
    }

    /// Sets which servers the sessions trust.
    ///
    /// - Parameter policy: The policy.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` for pins without an `https` base URL,
    ///   which would protect nothing, and for what ``SessionManager/setSecurityPolicy(_:)`` throws.
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
        completionQueue.async {
            completionHandler(TaskResponse(error: error))
            token.leave()
        }
    }
}
