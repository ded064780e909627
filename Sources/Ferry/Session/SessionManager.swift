/// A manager that makes tasks in a `URLSession`, and completes each of them once with the full response.
///
/// ```
/// HTTPSessionManager     base URL, parameters, verbs
///   → SessionManager     adapt(_:), makes the task, registers its TaskDelegate
///   → URLSession         moves the bytes; asks interceptors, and sends the request again
///   → SessionDelegate    finds the TaskDelegate; hooks and monitors           operationQueue
///   → TaskDelegate       collects the body, counts, keeps the file            operationQueue
///   → ResponseSerializer validates and decodes; then a download is moved      processing queue
///   → completion handler one TaskResponse; then the notification              completionQueue
/// ```
///
/// Tasks are those of `URLSession` and are made suspended:
///
/// ```swift
/// let manager = SessionManager()
/// let request = URLRequest(url: url)
/// let task = manager.dataTask(with: request, serializer: .json) { response in
///     print(response.value ?? "no value", response.error ?? "no error")
/// }
/// task.resume()
/// ```
///
/// A manager may be a local variable. When it is released, its tasks continue and complete; then the session is
/// released too. All members may be used from any thread.
///
/// Override ``adapt(_:)`` to change every request. Override the six methods that make tasks to see every task except
/// those of streams and operations: all other methods, and the verbs of ``HTTPSessionManager``, call these.
///
/// AFNetworking: `AFURLSessionManager`.
open class SessionManager: @unchecked Sendable {
    // Unchecked because the class is open; its state is in the core, which is checked.

    /// The sessions, task delegates and settings, which may outlive the manager.
    let core: SessionCore

    /// Creates a manager with a copy of the configuration; its session is created when it is first needed.
    public init(configuration: URLSessionConfiguration = .default, transport: SessionTransport = .curl) {
        core = SessionCore(configuration: configuration, transport: transport)
    }

    /// Creates a manager whose delegate callbacks run on the queue of another one.
    init(configuration: URLSessionConfiguration, transport: SessionTransport, operationQueue: OperationQueue) {
        core = SessionCore(configuration: configuration, transport: transport, operationQueue: operationQueue)
    }

    /// Creates a manager that trusts servers according to a policy; throws the errors of ``setSecurityPolicy(_:)``.
    public convenience init(
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl,
        securityPolicy: SecurityPolicy
    ) throws(NetworkError) {
        self.init(configuration: configuration, transport: transport)
        try setSecurityPolicy(securityPolicy)
    }

    deinit { core.abandon() }

    /// Returns a new manager with the same configuration and transport, and the settings of ``takeSettings(of:)``.
    ///
    /// A copy of a durable manager is not durable, since only one session can use the folder.
    ///
    /// The copy has its own session, queues, groups and tasks, and neither hooks nor monitors. A subclass overrides
    /// this to return an instance of its class, and calls ``takeSettings(of:)`` for the rest. AFNetworking: `copy`.
    ///
    /// - Returns: The new manager.
    open func copy() -> SessionManager {
        let copy = SessionManager(configuration: configuration, transport: transport.ofCopies)
        copy.takeSettings(of: self)
        return copy
    }

    /// Copies another manager's settings: response serializer, security policy, interceptors, retry policy, deadline,
    /// circuit breaker, hedging and ``waitsForConnectivity``.
    ///
    /// Both managers share the breaker and the hedging.
    open func takeSettings(of original: SessionManager) { core.takeSettings(of: original.core) }

    // MARK: - Making tasks

    /// Returns the changed request that a task is made of; every request of the manager passes through this method.
    ///
    /// A subclass overrides it for a change that is made once for each call, on the thread that makes the task, and
    /// calls `super`. The ``interceptors`` change the request of each attempt. A task made from resume data has no
    /// request to change.
    ///
    /// - Parameter request: The request.
    /// - Returns: The request to send.
    /// - Throws: The reason why the request must not be sent: the ``NetworkError/underlyingError`` of the task's error.
    open func adapt(_ request: URLRequest) throws -> URLRequest { request }

    /// Creates a suspended data task; the parameters of the other methods that make tasks are as here.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates and decodes the response.
    ///   - uploadProgress: Receives the progress of the request body.
    ///   - downloadProgress: Receives the progress of the response body.
    ///   - completionHandler: Called once with the response, on ``completionQueue``.
    /// - Returns: The task.
    open func dataTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        serializer: Serializer,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask {
        let (request, refusal) = adapted(request)
        let delegate = core.makeDelegate(
            serializer: serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            bodyStreams: BodyStreamSource(ofStreamIn: request),
            completionHandler: completionHandler
        )
        return core.makeTask(delegate, refusal: refusal, request: request) { $0.dataTask(with: request) }
    }

    /// Creates a suspended upload task of a file; an unreadable file fails it with ``NetworkError/Code/fileError``.
    ///
    /// The request's own body is ignored; the progress is that of the file.
    open func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        fromFile fileURL: URL,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionUploadTask {
        let (request, refusal) = adapted(request)
        let delegate = core.makeDelegate(
            serializer: serializer,
            uploadProgress: progress,
            completionHandler: completionHandler
        )
        let fileError = request.uploadError(fileURL)
        return core.makeTask(delegate, refusal: refusal ?? fileError, request: request) {
            $0.uploadTask(with: request, fromFile: fileURL)
        } makeRefused: {
            $0.uploadTask(with: request, from: Data())
        }
    }

    /// Creates a suspended upload task of data, nil for an empty body; the request's own body is ignored.
    open func uploadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        from bodyData: Data?,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionUploadTask {
        let (request, refusal) = adapted(request)
        let delegate = core.makeDelegate(
            serializer: serializer,
            uploadProgress: progress,
            completionHandler: completionHandler
        )
        return core.makeTask(delegate, refusal: refusal, request: request) {
            $0.uploadTask(with: request, from: bodyData ?? Data())
        } makeRefused: {
            $0.uploadTask(with: request, from: Data())
        }
    }

    /// Creates a suspended upload task whose body is a stream.
    ///
    /// A redirect or an authentication challenge may need the body again. The request's own stream can be used once;
    /// then the task fails with ``NetworkError/Code/bodyStreamExhausted``. `bodyStream` makes as many streams as are
    /// needed.
    ///
    /// - Parameters:
    ///   - request: The request, with its body stream unless `bodyStream` makes all streams.
    ///   - bodyStream: Returns a stream that begins at the start of the body. Runs on the ``operationQueue``.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body; its total is the request's `Content-Length`.
    ///   - completionHandler: Called once with the response, on ``completionQueue``.
    /// - Returns: The task.
    open func uploadTask<Serializer: ResponseSerializer>(
        withStreamedRequest request: URLRequest,
        bodyStream: (@Sendable () -> InputStream?)? = nil,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionUploadTask {
        let (request, refusal) = adapted(request)
        let delegate = core.makeDelegate(
            serializer: serializer,
            uploadProgress: progress,
            bodyStreams: BodyStreamSource(request: request, replay: bodyStream, isAskedFirst: true),
            completionHandler: completionHandler
        )
        return core.makeTask(delegate, refusal: refusal, request: request) {
            // FoundationNetworking would send the length together with `Transfer-Encoding: chunked`.
            $0.uploadTask(withStreamedRequest: $0.isFoundationNetworking ? request.withoutContentLength : request)
        } makeRefused: {
            $0.uploadTask(withStreamedRequest: request)
        }
    }

    /// Creates a suspended download task.
    ///
    /// The file is moved to its destination after the response has been validated, as a whole or not at all. The value
    /// is the URL of the file. Without a destination the file is removed, and there is no value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates the response as one without a body; its value is not used.
    ///   - progress: Receives the progress of the response body.
    ///   - destination: The destination of the file. ``SessionHooks/downloadTaskDidFinishDownloading`` takes
    ///     precedence.
    ///   - completionHandler: Called once with the response, on ``completionQueue``. The underlying error of
    ///     ``NetworkError/Code/moveFailed`` is a ``DownloadMoveError``, which says where the file is.
    /// - Returns: The task.
    open func downloadTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        destination: DownloadDestination?,
        completionHandler: @escaping @Sendable (TaskResponse<URL>) -> Void
    ) -> URLSessionDownloadTask {
        let (request, refusal) = adapted(request)
        let delegate = core.makeDownloadDelegate(
            serializer: serializer,
            progress: progress,
            bodyStreams: BodyStreamSource(ofStreamIn: request),
            destination: destination,
            completionHandler: completionHandler
        )
        return core.makeTask(delegate, refusal: refusal, request: request) { $0.downloadTask(with: request) }
    }

    /// Creates a suspended download task from the resume data of a ``NetworkError`` or
    /// `cancel(byProducingResumeData:)`.
    ///
    /// The serializer validates the response as one without a body. The progress is that of the whole body. Without a
    /// destination the file is removed.
    open func downloadTask<Serializer: ResponseSerializer>(
        withResumeData resumeData: Data,
        serializer: Serializer,
        progress: ProgressHandler? = nil,
        destination: DownloadDestination?,
        completionHandler: @escaping @Sendable (TaskResponse<URL>) -> Void
    ) -> URLSessionDownloadTask {
        let delegate = core.makeDownloadDelegate(
            serializer: serializer,
            progress: progress,
            destination: destination,
            completionHandler: completionHandler
        )
        return core.makeTask(delegate, refusal: nil, request: nil) {
            $0.downloadTask(withResumeData: resumeData)
        } makeRefused: {
            $0.downloadTask(withResumeData: Data())
        }
    }

    /// Sets the policy that decides which servers the sessions trust.
    ///
    /// It applies to every request that is sent afterwards, also in existing sessions: a connection that an earlier
    /// policy accepted carries no further request.
    ///
    /// - Parameter policy: The policy.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` if the policy contradicts itself, or
    ///   if the transport cannot enforce it (the system's session cannot).
    open func setSecurityPolicy(_ policy: SecurityPolicy) throws(NetworkError) { try core.setSecurityPolicy(policy) }

    private func adapted(_ request: URLRequest) -> (request: URLRequest, refusal: NetworkError?) {
        do {
            // A task that adapt(_:) makes is not the awaited one.
            return (try CompletionWaiter.hidden { try adapt(request) }, nil)
        } catch {
            return (request, NetworkError(requestSerialization: error, request: request))
        }
    }
}
