import FerrySession

extension RequestOperation {
    /// Decides about a challenge; the function is for an answer after ``ChallengeOutcome/deferred``.
    public typealias ChallengeHandler =
        @Sendable (URLAuthenticationChallenge, @escaping @Sendable (ChallengeOutcome) -> Void) -> ChallengeOutcome

    /// The request, as it was given.
    public var request: URLRequest { record.withLock { $0.request } }

    /// The body of the request as a stream; setting it counts before the operation is started.
    ///
    /// A stream serves once. If the body is needed again, after a pause or a redirection, ``newBodyStream`` is asked.
    public var inputStream: InputStream? {
        get { record.withLock { $0.request }.httpBodyStream }
        set {
            var request = request
            request.httpBodyStream = newValue
            record.withLock { [request] in
                $0.request = request
                $0.hasUsedBodyStream = false
            }
        }
    }

    /// Makes a stream from the beginning of the request's body, each time one is needed.
    ///
    /// Runs on the manager's operation queue.
    public var newBodyStream: (@Sendable () -> InputStream?)? {
        get { record.withLock { $0.settings.newBodyStream } }
        set { change(\.newBodyStream, to: newValue) }
    }

    /// Where the body of the response goes as it comes; nil, the default, collects it in memory.
    ///
    /// ``FileOutputStream`` writes a file. A stream is opened, written to and closed on the manager's operation queue,
    /// which waits for it: a slow one holds up other requests. One that fails or is full makes the operation fail.
    public var outputStream: OutputStream? {
        get { record.withLock { $0.settings.output }?.stream }
        set {
            let output = newValue.map(OperationOutput.init)
            change(\.output, to: output)
        }
    }

    /// What to answer the first challenge with.
    public var credential: URLCredential? {
        get { record.withLock { $0.settings.credential } }
        set { change(\.credential, to: newValue) }
    }

    /// Whether a challenge may be answered from the session's credential storage; true by default.
    public var shouldUseCredentialStorage: Bool {
        get { record.withLock { $0.settings.shouldUseCredentialStorage } }
        set { change(\.shouldUseCredentialStorage, to: newValue) }
    }

    /// Which servers the operation trusts; the manager's policy by default.
    ///
    /// Operations with the same other policy share a session.
    public var securityPolicy: SecurityPolicy {
        get { record.withLock { $0.settings.securityPolicy } ?? manager.securityPolicy }
        set { change(\.securityPolicy, to: newValue) }
    }

    /// Where completions run; nil, the default, is the manager's ``SessionManager/completionQueue``.
    public var completionQueue: DispatchQueue? {
        get { record.withLock { $0.settings.completionQueue } }
        set { change(\.completionQueue, to: newValue) }
    }

    /// The group the operation is in from the moment this is set until its completions have run.
    ///
    /// Nil, the default, is the manager's ``SessionManager/completionGroup``, from the start on.
    public var completionGroup: DispatchGroup? {
        get { record.withLock { $0.settings.completionGroup } }
        set { record.withLock { $0.setCompletionGroup(newValue) } }
    }

    /// Whatever belongs to the operation; it is not archived.
    public var userInfo: [String: any Sendable] {
        get { record.withLock { $0.settings.userInfo } }
        set { change(\.userInfo, to: newValue) }
    }

    /// Receives the progress of the request's body, from its beginning after each pause.
    public var uploadProgress: ProgressHandler? {
        get { record.withLock { $0.settings.uploadProgress } }
        set { change(\.uploadProgress, to: newValue) }
    }

    /// Receives the progress of the whole response, what arrived before a pause included.
    public var downloadProgress: ProgressHandler? {
        get { record.withLock { $0.settings.downloadProgress } }
        set { change(\.downloadProgress, to: newValue) }
    }

    /// Decides about challenges, in place of ``credential`` and the manager's hooks.
    ///
    /// Runs on the manager's operation queue.
    public var authenticationChallenge: ChallengeHandler? {
        get { record.withLock { $0.settings.challenge } }
        set { change(\.challenge, to: newValue) }
    }

    /// Gives the request to follow a redirection with; nil refuses it, and the redirection is the response.
    ///
    /// Runs on the manager's operation queue, in place of the manager's hook.
    public var redirect: (@Sendable (HTTPURLResponse, URLRequest) -> URLRequest?)? {
        get { record.withLock { $0.settings.redirect } }
        set { change(\.redirect, to: newValue) }
    }

    /// Gives what to cache; nil caches nothing.
    ///
    /// Runs on the manager's operation queue, in place of the manager's hook.
    public var cacheResponse: (@Sendable (CachedURLResponse) -> CachedURLResponse?)? {
        get { record.withLock { $0.settings.cacheResponse } }
        set { change(\.cacheResponse, to: newValue) }
    }

    /// Sets something, and lets go of what was set outside the lock: what a closure holds may have a life of its own.
    private func change<Value: Sendable>(
        _ path: any WritableKeyPath<OperationSettings, Value> & Sendable,
        to value: Value
    ) {
        let old = record.withLock { record in
            defer { record.settings[keyPath: path] = value }
            return record.settings[keyPath: path]
        }
        withExtendedLifetime(old) {}
    }
}
