/// A `URLSession` for Linux that works as URLSession is documented.
///
/// Its tasks are driven by an engine over libcurl: a suspended task transfers nothing, redirects do not send credentials to
/// another origin, timeouts are kept, nothing traps, and a request costs a quarter of what it costs in FoundationNetworking.
///
/// ```swift
/// let session = CurlSession(configuration: .default)
/// let (data, response) = try await session.data(from: url)
/// ```
///
/// Delegate methods and completion handlers run on `delegateQueue`. The session keeps its delegate until it is invalid or
/// freed. A session without running tasks is freed, with its thread and connections, when it is no longer referred to.
///
/// `@unchecked Sendable` like its superclass: what changes is behind locks.
public final class CurlSession: URLSession, @unchecked Sendable {
    let engine: TransferEngine?
    let dispatcher: DelegateDispatcher
    let registry = Mutex(TaskRegistry())
    private let engineError: CurlSessionError?
    private let settings: SessionSettings
    private let link: Mutex<DelegateLink>
    private let observer = Mutex(WeakObserver())
    private let isShared: Bool

    private static let sharedSession: CurlSession = {
        let configuration = URLSessionConfiguration.default
        configuration.httpCookieStorage = .shared
        configuration.urlCredentialStorage = .shared
        configuration.urlCache = .shared
        return CurlSession(
            configuration: configuration,
            options: Options(),
            delegate: nil,
            delegateQueue: nil,
            deliversInBatches: true,
            isShared: true
        )
    }()

    /// The session for all that needs no session of its own: the default configuration with the shared storages, and no
    /// delegate.
    ///
    /// It cannot be invalidated.
    public override class var shared: CurlSession { sharedSession }

    /// The options that URLSession has no property for.
    public let options: Options

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
    /// Where libcurl cannot be found, the tasks of the session complete with the reason; ``CurlRuntime/current()`` throws
    /// it beforehand.
    ///
    /// - Parameters:
    ///   - configuration: What every task of the session shares; it is copied.
    ///   - options: What URLSession has no property for.
    ///   - delegate: Kept until the session is invalidated or freed.
    ///   - queue: The queue of delegate methods and completion handlers, with an operation for each event. `nil` makes a
    ///     serial one, with an operation for all that arrives at once, which costs less.
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

    /// Makes a session, which delivers several events in one operation on request.
    package init(
        configuration: URLSessionConfiguration,
        options: Options,
        delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?,
        deliversInBatches: Bool,
        isShared: Bool = false
    ) {
        self.isShared = isShared
        self.options = options
        let settings = SessionSettings(configuration, options: options)
        self.settings = settings
        link = Mutex(DelegateLink(delegate: delegate, faces: DelegateFaces(delegate)))
        let callbacks = queue ?? OperationQueue()
        if queue == nil { callbacks.maxConcurrentOperationCount = 1 }
        dispatcher = DelegateDispatcher(queue: callbacks, isBatching: deliversInBatches)
        do {
            engine = try TransferEngine(settings: settings.engine, observer: dispatcher)
            engineError = nil
        } catch {
            engine = nil
            engineError = error as? CurlSessionError ?? CurlSessionError(.curlUnavailable, "\(error)")
        }
        // The superclass runs nothing: its part of the session has no delegate, cache, cookies or credentials.
        let nextDescriptor = SystemMultiHandle.nextDescriptor
        super.init(configuration: SessionSettings.inert, delegate: nil, delegateQueue: callbacks)
        if engine != nil { SystemMultiHandle.closeOnExec(self, since: nextDescriptor) }
    }

    deinit {
        engine?.stop()
    }

    // MARK: - Properties

    /// A copy of the configuration the session was made with; changes to it have no effect on the session.
    ///
    /// Its `protocolClasses` begin with a class of Ferry's own, which does nothing in other sessions: another `URLSession`
    /// can be made with the configuration.
    public override var configuration: URLSessionConfiguration {
        EngineBypassGuard.noteQuestion()
        return settings.configuration.copy() as? URLSessionConfiguration ?? settings.configuration
    }

    /// The delegate, until the session is invalid.
    public override var delegate: (any URLSessionDelegate)? { link.withLock { $0.delegate } }

    /// The queue of delegate methods and completion handlers.
    public override var delegateQueue: OperationQueue { dispatcher.queue }

    /// An object that is called when a task starts to run or is suspended, on the thread that caused it; it is not retained.
    public var taskObserver: (any CurlSessionTaskObserver)? {
        get { observer.withLock { $0.observer } }
        set { observer.withLock { $0.observer = newValue } }
    }

    /// Where responses are stored: the options' cache, else one in memory for the configuration's `urlCache`.
    public var cache: HTTPCache? { settings.engine.cache }

    /// A policy that decides, beside ``CurlSession/Options/tls``, which connections may carry requests; `nil` by default.
    ///
    /// It can be changed at any time, and applies to every request that is sent afterwards: a connection that was accepted
    /// before carries no further request. It needs libcurl 7.80 or later with OpenSSL or a library of its kind; elsewhere
    /// the session's https tasks fail with the reason `tlsUnsupported` while there is a policy.
    ///
    /// Tasks whose connections are refused by the policy, or by libcurl while there is one, fail with
    /// `serverCertificateUntrusted`. Setting a policy empties the session's own cache; a cache of the options is not
    /// emptied.
    public var trustPolicy: (any ServerTrustPolicy)? {
        get { engine?.trust.current.policy }
        set {
            engine?.trust.replace(newValue)
            if options.cache == nil { cache?.removeAll() }
        }
    }

    // MARK: - Life

    /// Lets the tasks run to their ends; then the session is invalid, and its delegate is told.
    ///
    /// Tasks that were made before and are resumed later are waited for, unless they are released without having been
    /// resumed. New tasks fail. As in URLSession, the call has no effect on ``shared``.
    public override func finishTasksAndInvalidate() {
        if !isShared { finishTasks() }
    }

    /// Cancels all tasks, also those that were never resumed; when the last has completed the session is invalid, and its
    /// delegate is told.
    ///
    /// As in URLSession, the call has no effect on ``shared``.
    public override func invalidateAndCancel() {
        if !isShared { cancelTasks() }
    }

    /// Gives all tasks that were resumed and neither cancelled nor completed, on the delegate queue.
    public override func getAllTasks(completionHandler: @Sendable @escaping ([URLSessionTask]) -> Void) {
        delegateQueue.deliver { [self] in completionHandler(outstandingTasks) }
    }

    /// Gives all tasks that were resumed and neither cancelled nor completed by kind, on the delegate queue.
    public override func getTasksWithCompletionHandler(
        _ completionHandler:
            @Sendable @escaping ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
    ) {
        delegateQueue.deliver { [self] in
            let tasks = outstandingTasks
            let uploads = tasks.compactMap { $0 as? URLSessionUploadTask }
            let data = tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask }
            completionHandler(data, uploads, tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// All tasks that were resumed and neither cancelled nor completed.
    public var allTasks: [URLSessionTask] {
        get async { outstandingTasks }
    }

    /// Empties cache, cookies and credentials; then calls the handler on the delegate queue.
    public override func reset(completionHandler: @Sendable @escaping () -> Void) {
        let configuration = configuration
        cache?.removeAll()
        configuration.urlCache?.removeAllCachedResponses()
        settings.engine.cookies?.discard()
        if let cookies = configuration.httpCookieStorage {
            for cookie in cookies.cookies ?? [] { cookies.deleteCookie(cookie) }
        }
        if let storage = configuration.urlCredentialStorage {
            for (space, credentials) in storage.allCredentials {
                for credential in credentials.values { storage.remove(credential, for: space) }
            }
        }
        flush(completionHandler: completionHandler)
    }

    /// Calls the handler on the delegate queue when all cookies that were received are in the storage.
    public override func flush(completionHandler: @Sendable @escaping () -> Void) {
        let queue = delegateQueue
        guard let cookies = settings.engine.cookies else { return queue.deliver { completionHandler() } }
        cookies.afterWriting { queue.deliver { completionHandler() } }
    }

    // MARK: - Data tasks

    /// A task that fetches the URL and reports to the delegate.
    public override func dataTask(with url: URL) -> URLSessionDataTask {
        makeDataTask(URLRequest(url: url), .delegate)
    }

    /// A task that sends the request and reports to the delegate.
    public override func dataTask(with request: URLRequest) -> URLSessionDataTask {
        makeDataTask(request, .delegate)
    }

    /// A task that fetches the URL into memory; the handler runs on the delegate queue.
    public override func dataTask(
        with url: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        makeDataTask(URLRequest(url: url), .data(completionHandler))
    }

    /// A task that sends the request; the handler runs on the delegate queue.
    public override func dataTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        makeDataTask(request, .data(completionHandler))
    }

    // MARK: - Upload tasks

    /// A task that sends a file as the body, and reports to the delegate.
    public override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), .delegate)
    }

    /// A task that sends bytes as the body, and reports to the delegate.
    public override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData), .delegate)
    }

    /// A task whose body is the stream that the delegate returns in `needNewBodyStream`, else the request's stream.
    public override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        makeUploadTask(request, .delegateStream, .delegate)
    }

    /// A task that sends a file as the body; the handler runs on the delegate queue.
    public override func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), .data(completionHandler))
    }

    /// A task that sends bytes as the body, none for `nil`; the handler runs on the delegate queue.
    public override func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData ?? Data()), .data(completionHandler))
    }

    // MARK: - Download tasks

    /// A task that fetches the URL into a temporary file, and reports to the delegate.
    public override func downloadTask(with url: URL) -> URLSessionDownloadTask {
        makeDownloadTask(URLRequest(url: url), .delegate)
    }

    /// A task that fetches into a temporary file, and reports to the delegate.
    public override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        makeDownloadTask(request, .delegate)
    }

    /// A task that fetches the URL into a temporary file, which is deleted when the handler returns.
    public override func downloadTask(
        with url: URL,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(URLRequest(url: url), .download(completionHandler))
    }

    /// A task that fetches into a temporary file, which is deleted when the handler returns.
    public override func downloadTask(
        with request: URLRequest,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(request, .download(completionHandler))
    }

    /// A task that continues an earlier download, and reports to the delegate.
    ///
    /// The data is checked immediately; if it is not valid, the task completes with the reason.
    public override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        makeDownloadTask(resuming: resumeData, .delegate)
    }

    /// A task that continues an earlier download into a temporary file, which is deleted when the handler returns.
    public override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @Sendable @escaping (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(resuming: resumeData, .download(completionHandler))
    }

    // MARK: - WebSocket tasks

    /// WebSocket is not supported: the task fails with `URLError.unsupportedURL` when it is resumed.
    public override func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        UnsupportedWebSocket.task(with: URLRequest(url: url))
    }

    /// WebSocket is not supported: the task fails with `URLError.unsupportedURL` when it is resumed.
    public override func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        UnsupportedWebSocket.task(with: URLRequest(url: url))
    }

    /// WebSocket is not supported: the task fails with `URLError.unsupportedURL` when it is resumed.
    public override func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        UnsupportedWebSocket.task(with: request)
    }

    // MARK: - Internal

    var temporaryDirectory: URL { settings.engine.temporaryDirectory }

    var engineSettings: EngineSettings { settings.engine }

    var protocols: ProtocolClasses { settings.protocols }

    var faces: DelegateFaces { link.withLock { $0.faces } }

    func limits(for request: URLRequest) -> TransferClock.Limits { settings.limits(for: request) }

    func unavailable(_ url: URL?) -> URLError {
        .ferry(.unknown, url: url, underlying: engineError)
    }

    /// Gives the delegate up, and returns it for its last call.
    func breakLink() -> (any URLSessionDelegate)? {
        link.withLock { link in
            defer { link = DelegateLink(delegate: nil, faces: DelegateFaces(nil)) }
            return link.delegate
        }
    }

    private struct DelegateLink {
        var delegate: (any URLSessionDelegate)?
        var faces: DelegateFaces
    }

    private struct WeakObserver {
        weak var observer: (any CurlSessionTaskObserver)?
    }
}

/// An object that is called when a task of a ``CurlSession`` starts to run or is suspended, once for each change.
public protocol CurlSessionTaskObserver: AnyObject, Sendable {
    /// Called when a task runs, for the first time or again.
    func session(_ session: CurlSession, didResume task: URLSessionTask)

    /// Called when a task that ran is suspended.
    func session(_ session: CurlSession, didSuspend task: URLSessionTask)
}
