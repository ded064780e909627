extension RequestOperation {
    /// A closure that decides about a challenge; after `ChallengeOutcome.deferred`, it calls its second argument once
    /// it has an outcome.
    public typealias ChallengeHandler =
        @Sendable (URLAuthenticationChallenge, @escaping @Sendable (ChallengeOutcome) -> Void) -> ChallengeOutcome

    /// The request the operation was made with.
    public var request: URLRequest { record.withLock { $0.request } }

    /// The body of the request as a stream; must be set before the operation is started.
    ///
    /// A stream can be read only once. If the body is needed again, after a pause or a redirect or in a copy of the
    /// operation, ``newBodyStream`` is called.
    public var inputStream: InputStream? {
        get { record.withLock { $0.request }.httpBodyStream }
        set {
            var request = request
            request.httpBodyStream = newValue
            let old = record.withLock { [request] record in
                let old = record.request
                (record.request, record.hasUsedBodyStream) = (request, false)
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Returns a new stream of the request's body, each time one is needed, on the manager's operation queue.
    public var newBodyStream: (@Sendable () -> InputStream?)? {
        get { record.withLock { $0.settings.newBodyStream } }
        set { record.replace(\.settings.newBodyStream, with: newValue) }
    }

    /// The stream to which the body of the response is written as it arrives; nil, the default, collects it in memory.
    ///
    /// ``FileOutputStream`` writes a file. A stream may be set until the response arrives. It is opened, written to and
    /// closed on the manager's operation queue, which waits for it, so a slow stream delays other requests. If a stream
    /// fails or is full, the operation fails.
    public var outputStream: OutputStream? {
        get { record.withLock { $0.settings.output }?.stream }
        set { record.replace(\.settings.output, with: newValue.map(OperationOutput.init)) }
    }

    /// The credential for a first challenge by the server of the ``request``, but not by a proxy or, after a redirect,
    /// by another server.
    public var credential: URLCredential? {
        get { record.withLock { $0.settings.credential } }
        set { record.replace(\.settings.credential, with: newValue) }
    }

    /// A Boolean value that indicates whether a challenge may be answered from the session's credential storage; true
    /// by default.
    public var shouldUseCredentialStorage: Bool {
        get { record.withLock { $0.settings.shouldUseCredentialStorage } }
        set { record.replace(\.settings.shouldUseCredentialStorage, with: newValue) }
    }

    /// The rules by which the operation trusts servers; the manager's policy by default.
    ///
    /// Operations that share a policy other than the manager's also share a session.
    public var securityPolicy: SecurityPolicy {
        get { record.withLock { $0.settings.securityPolicy } ?? manager.securityPolicy }
        set { record.replace(\.settings.securityPolicy, with: newValue) }
    }

    /// The queue on which completions run; nil, the default, is the manager's `SessionManager.completionQueue`.
    public var completionQueue: DispatchQueue? {
        get { record.withLock { $0.settings.completionQueue } }
        set { record.replace(\.settings.completionQueue, with: newValue) }
    }

    /// The group that the operation enters when this is set and leaves when its completions have run.
    ///
    /// With nil, the default, the operation enters the manager's `SessionManager.completionGroup` when it is started.
    public var completionGroup: DispatchGroup? {
        get { record.withLock { $0.settings.completionGroup } }
        set { record.withLock { $0.setCompletionGroup(newValue) } }
    }

    /// Arbitrary data associated with the operation; it is not archived.
    public var userInfo: [String: any Sendable] {
        get { record.withLock { $0.settings.userInfo } }
        set { record.replace(\.settings.userInfo, with: newValue) }
    }

    /// Called with the progress of the request's body, which begins again after each pause.
    public var uploadProgress: ProgressHandler? {
        get { record.withLock { $0.settings.uploadProgress } }
        set { record.replace(\.settings.uploadProgress, with: newValue) }
    }

    /// Called with the progress of the whole response, including what arrived before a pause.
    public var downloadProgress: ProgressHandler? {
        get { record.withLock { $0.settings.downloadProgress } }
        set { record.replace(\.settings.downloadProgress, with: newValue) }
    }

    /// Decides about challenges on the manager's operation queue, instead of ``credential`` and the manager's hooks.
    public var authenticationChallenge: ChallengeHandler? {
        get { record.withLock { $0.settings.challenge } }
        set { record.replace(\.settings.challenge, with: newValue) }
    }

    /// Returns the request with which to follow a redirect; nil refuses it, and the redirect becomes the response.
    ///
    /// Runs on the manager's operation queue, instead of the manager's hook.
    public var redirect: (@Sendable (HTTPURLResponse, URLRequest) -> URLRequest?)? {
        get { record.withLock { $0.settings.hooks.willPerformRedirection } }
        set { record.replace(\.settings.hooks.willPerformRedirection, with: newValue) }
    }

    /// Returns the response to cache, nil for none, on the manager's operation queue, instead of the manager's hook.
    public var cacheResponse: (@Sendable (CachedURLResponse) -> CachedURLResponse?)? {
        get { record.withLock { $0.settings.hooks.willCacheResponse } }
        set { record.replace(\.settings.hooks.willCacheResponse, with: newValue) }
    }

    /// The policy that decides whether the operation sends its request again; nil, the default, for the manager's.
    public var retryPolicy: RetryPolicy? {
        get { record.withLock { $0.settings.recovery.retry } ?? nil }
        set { record.replace(\.settings.recovery.retry, with: newValue.map { .some($0) }) }
    }

    /// The interceptors that are asked after the manager's; none by default.
    public var interceptors: [any RequestInterceptor] {
        get { record.withLock { $0.settings.recovery.interceptors } }
        set { record.replace(\.settings.recovery.interceptors, with: newValue) }
    }

    /// The time limit, in seconds, of each task of the operation; nil, the default, for the manager's.
    ///
    /// An operation that is paused and resumed has a new task.
    public var deadline: TimeInterval? {
        get { record.withLock { $0.settings.recovery.deadline } }
        set { record.replace(\.settings.recovery.deadline, with: newValue) }
    }

    func setRecovery(_ recovery: RequestRecovery) { record.replace(\.settings.recovery, with: recovery) }
}
