/// A `URLSession` for Linux that works as URLSession is documented.
///
/// Its tasks are driven by an engine on libcurl: a suspended task transfers nothing, redirects do not send credentials
/// to another origin, timeouts are observed, nothing traps, and a request costs a quarter of what it costs in
/// FoundationNetworking.
///
/// ```swift
/// let session = CurlSession(configuration: .default)
/// let (data, response) = try await session.data(from: url)
/// ```
///
/// Delegate methods and completion handlers run on `delegateQueue`. The session retains its delegate until it is
/// invalid or freed, and its tasks from their creation until they complete. A session is freed, with its thread and
/// connections, when neither it nor one of its tasks is referred to any longer, unless one was resumed and has not
/// completed: a task that is suspended for ever keeps its session.
///
/// `@unchecked Sendable` like its superclass: all mutable state is protected by locks.
public final class CurlSession: URLSession, @unchecked Sendable {
    /// Everything that tasks need of the session.
    let core: CurlSessionCore

    private static let sharedSession: CurlSession = {
        let configuration = URLSessionConfiguration.default
        configuration.httpCookieStorage = .shared
        configuration.urlCredentialStorage = .shared
        configuration.urlCache = .shared
        return CurlSession(configuration: configuration, options: Options(), deliversInBatches: true, isShared: true)
    }()

    /// The shared session, which has the default configuration with the shared storages and no delegate.
    ///
    /// It cannot be invalidated.
    public override class var shared: CurlSession { sharedSession }

    /// The options for which URLSession has no properties.
    public var options: Options { settings.options }

    /// Makes a session with Ferry's default options.
    public override convenience init(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        self.init(configuration: configuration, options: Options(), delegate: delegate, delegateQueue: queue)
    }

    /// Makes a session without a delegate.
    public override convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, options: Options())
    }

    /// Makes a session.
    ///
    /// If libcurl cannot be found, the session's tasks complete with an error that gives the reason. To find out
    /// beforehand, call ``CurlRuntime/current()``.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session's tasks, which is copied.
    ///   - options: The options for which URLSession has no properties.
    ///   - delegate: The delegate, which is retained until the session is invalidated or freed.
    ///   - queue: The queue of delegate methods and completion handlers, with an operation for each event. `nil` makes
    ///     a serial queue on which events that arrive at the same time share an operation, which costs less.
    public convenience init(
        configuration: URLSessionConfiguration,
        options: Options,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue queue: OperationQueue? = nil
    ) {
        self.init(
            configuration: configuration,
            options: options,
            delegate: delegate,
            delegateQueue: queue,
            deliversInBatches: queue == nil
        )
    }

    /// Makes a session that, on request, delivers several events in one operation.
    package convenience init(
        configuration: URLSessionConfiguration,
        options: Options,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue queue: OperationQueue? = nil,
        deliversInBatches: Bool,
        isShared: Bool = false
    ) {
        let callbacks = queue ?? OperationQueue()
        if queue == nil { callbacks.maxConcurrentOperationCount = 1 }
        self.init(
            CurlSessionCore(
                CurlSessionSettings(configuration, options: options),
                delegate: delegate,
                dispatcher: DelegateDispatcher(queue: callbacks, isBatching: deliversInBatches),
                isShared: isShared
            )
        )
        core.note(self)
        makeEarlierTasks()
    }

    /// Makes a session object, the first one or another one for tasks that have outlived it.
    init(_ core: CurlSessionCore) {
        self.core = core
        // The superclass runs nothing: its part of the session has no delegate, cache, cookies or credentials.
        super.init(
            configuration: CurlSessionSettings.ofAsyncCalls,
            delegate: nil,
            delegateQueue: core.dispatcher.queue
        )
    }

    deinit { core.sessionWasReleased() }

    // MARK: - Properties

    /// A copy of the session's configuration; changing it does not affect the session.
    ///
    /// Its `protocolClasses` begin with a class of Ferry's that has no effect in other sessions, so another
    /// `URLSession` can be made with the configuration.
    public override var configuration: URLSessionConfiguration {
        if AsyncCall.isOnQueueOfTasks { return CurlSessionSettings.ofAsyncCalls }
        return settings.configuration.copy() as? URLSessionConfiguration ?? settings.configuration
    }

    /// The delegate, or `nil` once the session is invalid.
    public override var delegate: (any URLSessionDelegate)? { core.delegate }
    /// The queue of delegate methods and completion handlers.
    public override var delegateQueue: OperationQueue { AsyncCallLoader.currentCompletionQueue ?? dispatcher.queue }

    /// An object, not retained, that is called when a task is resumed or suspended, on the thread that does so.
    package var taskObserver: (any CurlSessionTaskObserver)? {
        get { core.observer }
        set { core.observer = newValue }
    }

    /// The cache for responses: the options' cache, or else one in memory if the configuration has a `urlCache`.
    public var cache: HTTPCache? { settings.cache }

    /// A policy that decides, in addition to ``CurlSession/Options/tls``, which connections may carry requests.
    ///
    /// The default is `nil`. The policy can be changed at any time and applies to every request that is sent
    /// afterwards, so a connection that was accepted before carries no further requests. It requires OpenSSL or one of
    /// its forks; otherwise the session's https tasks fail with the reason `tlsUnsupported` while there is a policy.
    ///
    /// Tasks whose connections are refused by the policy, or by libcurl while there is a policy, fail with
    /// `serverCertificateUntrusted`. Setting a policy empties the session's own cache, but not a cache from the
    /// options.
    public var trustPolicy: (any ServerTrustPolicy)? {
        get { core.trust.current.policy }
        set {
            core.trust.replace(newValue)
            if options.cache == nil { cache?.removeAll() }
        }
    }

    // MARK: - Lifetime

    /// Invalidates the session when its tasks have finished, and notifies its delegate.
    ///
    /// Tasks that were made before and are resumed later are waited for, unless they are released without having been
    /// resumed: the session no longer retains them. New tasks fail. As in URLSession, the call has no effect on
    /// ``shared``.
    public override func finishTasksAndInvalidate() {
        if !core.isShared { core.finishTasks() }
    }

    /// Cancels all tasks, including those that were never resumed; once all have completed, the session becomes invalid
    /// and its delegate is notified.
    ///
    /// As in URLSession, the call has no effect on ``shared``.
    public override func invalidateAndCancel() {
        if !core.isShared { core.cancelTasks() }
    }

    /// Calls the handler, on the delegate queue, with all tasks that were resumed and neither cancelled nor completed.
    public override func getAllTasks(completionHandler: @Sendable @escaping ([URLSessionTask]) -> Void) {
        delegateQueue.deliver { [core] in completionHandler(core.outstandingTasks) }
    }

    /// Calls the handler, on the delegate queue, with the tasks of each kind that were resumed and neither cancelled
    /// nor completed.
    public override func getTasksWithCompletionHandler(
        _ completionHandler:
            @Sendable @escaping ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
    ) {
        delegateQueue.deliver { [core] in
            let tasks = core.outstandingTasks
            let uploads = tasks.compactMap { $0 as? URLSessionUploadTask }
            let data = tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask }
            completionHandler(data, uploads, tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// The tasks that were resumed and neither cancelled nor completed.
    public var allTasks: [URLSessionTask] {
        get async { core.outstandingTasks }
    }

    /// Empties the cache, cookies and credentials, then calls the handler on the delegate queue.
    ///
    /// The storages of cookies and credentials and the `URLCache` are those of the configuration; with the default
    /// configuration, the whole process shares them. Credentials that servers and proxies have accepted are forgotten
    /// too. Tasks that are resumed later use new connections; those in progress continue.
    public override func reset(completionHandler: @Sendable @escaping () -> Void) {
        let configuration = configuration
        cache?.removeAll()
        configuration.urlCache?.removeAllCachedResponses()
        settings.cookies?.writer.discard()
        if let cookies = configuration.httpCookieStorage {
            for cookie in cookies.cookies ?? [] { cookies.deleteCookie(cookie) }
        }
        if let storage = configuration.urlCredentialStorage {
            for (space, credentials) in storage.allCredentials {
                for credential in credentials.values { storage.remove(credential, for: space) }
            }
        }
        core.forgetCredentials()
        flush(completionHandler: completionHandler)
    }

    /// Calls the handler on the delegate queue once all received cookies are in the storage.
    public override func flush(completionHandler: @Sendable @escaping () -> Void) {
        let queue = delegateQueue
        guard let cookies = settings.cookies else { return queue.deliver { completionHandler() } }
        cookies.writer.afterWriting { queue.deliver { completionHandler() } }
    }

    // MARK: - Data tasks

    /// Makes a data task that fetches a URL and reports to the delegate.
    public override func dataTask(with url: URL) -> URLSessionDataTask { makeDataTask(URLRequest(url: url), .delegate) }

    /// Makes a data task that sends a request and reports to the delegate.
    public override func dataTask(with request: URLRequest) -> URLSessionDataTask { makeDataTask(request, .delegate) }

    /// Makes a data task that fetches a URL into memory; the handler runs on the delegate queue.
    public override func dataTask(
        with url: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        makeDataTask(URLRequest(url: url), .data(completionHandler))
    }

    /// Makes a data task that sends a request and collects the body in memory; the handler runs on the delegate queue.
    public override func dataTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        makeDataTask(request, .data(completionHandler))
    }

    // MARK: - Upload tasks

    /// Makes an upload task that sends a file as the body and reports to the delegate.
    public override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), .delegate)
    }

    /// Makes an upload task that sends bytes as the body and reports to the delegate.
    public override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData), .delegate)
    }

    /// Makes an upload task whose body is the stream that the delegate provides in `needNewBodyStream`, or else the
    /// request's stream.
    public override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        makeUploadTask(request, .delegateStream, .delegate)
    }

    /// Makes an upload task that sends a file as the body; the handler runs on the delegate queue.
    public override func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), .data(completionHandler))
    }

    /// Makes an upload task that sends bytes as the body, or none for `nil`; the handler runs on the delegate queue.
    public override func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData ?? Data()), .data(completionHandler))
    }

    // MARK: - Download tasks

    /// Makes a download task that fetches a URL to a temporary file and reports to the delegate.
    public override func downloadTask(with url: URL) -> URLSessionDownloadTask {
        makeDownloadTask(URLRequest(url: url), .delegate)
    }

    /// Makes a download task that sends a request, writes the body to a temporary file and reports to the delegate.
    public override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        makeDownloadTask(request, .delegate)
    }

    /// Makes a download task for a URL, whose file is deleted when the handler, on the delegate queue, returns.
    public override func downloadTask(
        with url: URL,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(URLRequest(url: url), .download(completionHandler))
    }

    /// Makes a download task for a request, whose file is deleted when the handler, on the delegate queue, returns.
    public override func downloadTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(request, .download(completionHandler))
    }

    /// Makes a download task that continues an earlier download and reports to the delegate.
    ///
    /// The data is checked immediately; if it is not valid, the task completes with an error that gives the reason.
    public override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        makeDownloadTask(resuming: resumeData, .delegate)
    }

    /// Makes a download task that continues an earlier download, as ``downloadTask(withResumeData:)`` does.
    ///
    /// The handler runs on the delegate queue; the file is deleted when it returns.
    public override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(resuming: resumeData, .download(completionHandler))
    }

    // MARK: - WebSocket tasks

    /// Returns a task that fails with `URLError.unsupportedURL` when it is resumed, since FoundationNetworking's class
    /// of WebSocket tasks cannot be overridden; `FerryWebSockets` has `webSocket(with:)`.
    @available(*, deprecated, message: "Use webSocket(with:) of FerryWebSockets")
    public override func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        UnsupportedWebSocket.task(with: URLRequest(url: url))
    }

    /// Returns a task that fails, like `webSocketTask(with:)` with a URL.
    @available(*, deprecated, message: "Use webSocket(with:) of FerryWebSockets")
    public override func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        UnsupportedWebSocket.task(with: URLRequest(url: url))
    }

    /// Returns a task that fails, like `webSocketTask(with:)` with a URL.
    @available(*, deprecated, message: "Use webSocket(with:) of FerryWebSockets")
    public override func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        UnsupportedWebSocket.task(with: request)
    }

    // MARK: - Internal

    var engine: TransferEngine? { core.engine }
    var dispatcher: DelegateDispatcher { core.dispatcher }
    var settings: CurlSessionSettings { core.settings }
}

/// An object that is called when a task of a ``CurlSession`` is resumed or suspended, once for each change.
package protocol CurlSessionTaskObserver: AnyObject, Sendable {
    /// Called when a task starts to run, first or after a suspension, on the thread that resumed it.
    func session(_ session: CurlSession, didResume task: URLSessionTask)
    /// Called when a running task is suspended, on the thread that suspended it.
    func session(_ session: CurlSession, didSuspend task: URLSessionTask)
    /// Called on the delegate queue after a task's own delegate has received the end of the task.
    func session(_ session: CurlSession, ownDelegateDidEnd task: URLSessionTask, error: (any Error)?)
}
