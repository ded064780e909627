import FerrySession

/// Makes tasks in a `URLSession` and completes each of them once, with everything the request came to.
///
/// ```
/// HTTPSessionManager     base URL, parameters, verbs
///   → SessionManager     adapt(_:), makes the task, registers its TaskDelegate
///   → URLSession         moves the bytes
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
/// let task = manager.dataTask(with: URLRequest(url: url), serializer: .json) { response in
///     print(response.value ?? "no value", response.error ?? "no error")
/// }
/// task.resume()
/// ```
///
/// A manager may be a local variable. When it goes, its tasks go on and complete; then the session is freed too. All
/// members may be used from any thread.
///
/// Override ``adapt(_:)`` to change every request, and the six methods that make tasks to see every task: all other
/// methods, and the verbs of ``HTTPSessionManager``, go through them.
///
/// AFNetworking: `AFURLSessionManager`.
open class SessionManager: @unchecked Sendable {
    // Unchecked since the class is open; its own state is in the core, which is checked.

    /// The sessions, delegates and settings, which may outlive the manager.
    let core: SessionCore

    /// Makes a manager; its session is made when it is first needed.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: Which `URLSession` to run on.
    public init(configuration: URLSessionConfiguration = .default, transport: SessionTransport = .curl) {
        core = SessionCore(
            configuration: configuration,
            transport: transport,
            responseSerializer: JSONResponseSerializer()
        )
    }

    /// Makes a manager that trusts the servers its policy trusts.
    ///
    /// - Parameters:
    ///   - configuration: The session's configuration; it is copied.
    ///   - transport: Which `URLSession` to run on.
    ///   - securityPolicy: Which servers the sessions trust.
    /// - Throws: What ``setSecurityPolicy(_:)`` throws.
    public convenience init(
        configuration: URLSessionConfiguration = .default,
        transport: SessionTransport = .curl,
        securityPolicy: SecurityPolicy
    ) throws(NetworkError) {
        self.init(configuration: configuration, transport: transport)
        try setSecurityPolicy(securityPolicy)
    }

    deinit {
        core.abandon()
    }

    /// Makes another manager with the same configuration, transport, response serializer, security policy and adapters.
    ///
    /// It has a session, queues and tasks of its own, and neither hooks nor monitors. A subclass overrides this to give
    /// one of its own class, and has ``takeSettings(of:)`` do the rest. AFNetworking: `copy`.
    ///
    /// - Returns: The new manager.
    open func copy() -> SessionManager {
        let copy = SessionManager(configuration: configuration, transport: transport)
        copy.takeSettings(of: self)
        return copy
    }

    /// Takes over what a copy has of its original apart from configuration and transport.
    ///
    /// - Parameter original: The manager that is copied.
    open func takeSettings(of original: SessionManager) {
        core.takeSettings(of: original.core)
    }

    // MARK: - Making tasks

    /// Changes a request before a task is made of it: the seam through which every request passes.
    ///
    /// Asks the ``adapters`` one after the other. A task made from resume data has no request to change.
    ///
    /// - Parameter request: The request.
    /// - Returns: The request to send.
    /// - Throws: Why it must not be sent; the task then fails with this error.
    open func adapt(_ request: URLRequest) throws -> URLRequest {
        try adapters.reduce(request) { try $1.adapt($0) }
    }

    /// Makes a data task, suspended.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates and decodes the response.
    ///   - uploadProgress: Receives the progress of the request's body.
    ///   - downloadProgress: Receives the progress of the response's body.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
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
            bodyStreams: request.httpBodyStream.map { _ in
                BodyStreamSource(request: request, replay: nil, isAskedFirst: false)
            },
            completionHandler: completionHandler
        )
        return core.makeTask(delegate, refusal: refusal, request: request) { session in
            session.dataTask(with: request)
        } makeRefused: { session in
            session.dataTask(with: request)
        }
    }

    /// Makes an upload task whose body is a file, suspended.
    ///
    /// - Parameters:
    ///   - request: The request; a body it has is ignored.
    ///   - fileURL: The file. One that cannot be read fails the task with ``NetworkError/Code/fileError``.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
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
        let fileError = UploadFile.error(fileURL, request: request)
        return core.makeTask(delegate, refusal: refusal ?? fileError, request: request) { session in
            session.uploadTask(with: request, fromFile: fileURL)
        } makeRefused: { session in
            session.uploadTask(with: request, from: Data())
        }
    }

    /// Makes an upload task whose body is data, suspended.
    ///
    /// - Parameters:
    ///   - request: The request; a body it has is ignored.
    ///   - bodyData: The body; nil for an empty one.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
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
        return core.makeTask(delegate, refusal: refusal, request: request) { session in
            session.uploadTask(with: request, from: bodyData ?? Data())
        } makeRefused: { session in
            session.uploadTask(with: request, from: Data())
        }
    }

    /// Makes an upload task whose body is a stream, suspended.
    ///
    /// A redirection or an authentication may need the body again. The stream of the request serves once, and then the
    /// task fails with ``NetworkError/Code/bodyStreamExhausted``; `bodyStream` makes as many as are needed.
    ///
    /// - Parameters:
    ///   - request: The request, with its body stream unless `bodyStream` makes them all.
    ///   - bodyStream: Makes a stream from the beginning of the body. Runs on the operation queue.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request's body; its total is the request's `Content-Length`.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
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
        return core.makeTask(delegate, refusal: refusal, request: request) { session in
            // FoundationNetworking would send this length together with `Transfer-Encoding: chunked`.
            session.uploadTask(
                withStreamedRequest: session.isFoundationNetworking ? request.withoutContentLength : request
            )
        } makeRefused: { session in
            session.uploadTask(withStreamedRequest: request)
        }
    }

    /// Makes a download task, suspended.
    ///
    /// The file is moved to its destination after the response has been validated, as a whole or not at all. The value
    /// is the file's URL. Without a destination there is none, and no file is left.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates the response, as one without a body; what it makes is not used.
    ///   - progress: Receives the progress of the response's body.
    ///   - destination: Where the file goes. ``SessionHooks/downloadTaskDidFinishDownloading`` comes before it.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``. An error with
    ///     ``NetworkError/Code/moveFailed`` has a ``DownloadMoveError`` underneath which tells where the file is.
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
            destination: destination,
            completionHandler: completionHandler
        )
        return core.makeTask(delegate, refusal: refusal, request: request) { session in
            session.downloadTask(with: request)
        } makeRefused: { session in
            session.downloadTask(with: request)
        }
    }

    /// Makes a download task that goes on where another one stopped, suspended.
    ///
    /// - Parameters:
    ///   - resumeData: What ``NetworkError/resumeData`` or `cancel(byProducingResumeData:)` gave.
    ///   - serializer: Validates the response, as one without a body; what it makes is not used.
    ///   - progress: Receives the progress of the whole body.
    ///   - destination: Where the file goes.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
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
        return core.makeTask(delegate, refusal: nil, request: nil) { session in
            session.downloadTask(withResumeData: resumeData)
        } makeRefused: { session in
            session.downloadTask(withResumeData: Data())
        }
    }

    /// Sets which servers the sessions trust, from now on.
    ///
    /// It holds for every request that is sent afterwards, in sessions that are already there too: a connection that an
    /// earlier policy accepted carries no further request.
    ///
    /// - Parameter policy: The policy.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` if the policy contradicts itself, or the
    ///   transport cannot enforce it, as the system's session cannot.
    open func setSecurityPolicy(_ policy: SecurityPolicy) throws(NetworkError) {
        try core.setSecurityPolicy(policy)
    }

    private func adapted(_ request: URLRequest) -> (request: URLRequest, refusal: NetworkError?) {
        do {
            return (try adapt(request), nil)
        } catch {
            return (request, NetworkError(requestSerialization: error, request: request))
        }
    }
}
