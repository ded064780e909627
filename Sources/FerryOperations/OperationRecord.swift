/// The mutable state of an operation; guarded by its lock.
package struct OperationRecord: Sendable {
    package typealias Handler = @Sendable (RequestOperation) -> Void

    var machine = OperationMachine()
    var request: URLRequest
    var settings = OperationSettings()
    var body = ReceivedBody()
    /// The running transfer; late events of earlier ones are ignored.
    var transfer: OperationTransfer?
    var error: NetworkError?
    /// The request that the last transfer has sent last, after redirects.
    var lastRequest: URLRequest?
    /// The metrics of the last transfer.
    var metrics: TaskMetrics?
    /// Reports the progress of the response across all pauses.
    var progress: ProgressReporter?
    /// Whether the request's body stream has been used.
    var hasUsedBodyStream = false
    /// Whether the end of the last transfer was posted, since the operation was paused.
    var hasPostedPause = false
    /// Whether a thread is currently publishing the changes of state.
    var isPublishing = false
    private(set) var completionBlock: (@Sendable () -> Void)?
    private(set) var handler: Handler?
    private var observers: [Handler] = []
    private var isTold = false
    private(set) var token: CompletionToken?

    init(request: URLRequest) { self.request = request }

    init(_ archive: OperationArchive) {
        request = archive.request
        machine = OperationMachine(state: archive.state, isCancelled: archive.isCancelled)
        body = archive.body
        error = archive.error
    }

    /// Handles the start; the first time, enters the manager's completion group unless the operation has its own.
    mutating func start(defaultGroup: DispatchGroup) -> OperationMachine.Effect {
        let wasDelivered = machine.isDelivered
        let effect = machine.start()
        if token == nil, !wasDelivered { token = CompletionToken(defaultGroup) }
        return effect
    }

    /// Sets the completion group and enters it immediately, so that waiting for the group waits for the operation.
    mutating func setCompletionGroup(_ group: DispatchGroup?) {
        settings.completionGroup = group
        token = machine.isDelivered ? nil : group.map(CompletionToken.init)
    }

    mutating func takeTransfer() -> OperationTransfer? {
        defer { transfer = nil }
        return transfer
    }

    /// Ends the transfer, with an error or without; false if it is not the running one or is already ending.
    mutating func endTransfer(_ ended: OperationTransfer?, error: NetworkError?) -> Bool {
        guard transfer === ended, machine.endTransfer() == .conclude else { return false }
        transfer = nil
        if let error { self.error = error }
        return true
    }

    /// Sets the completion block and returns the old one; the block is not kept if the end was already delivered.
    mutating func setCompletionBlock(_ block: (@Sendable () -> Void)?) -> (@Sendable () -> Void)? {
        defer { completionBlock = machine.isDelivered ? nil : block }
        return completionBlock
    }

    /// Sets the completion handler and returns the old one; the handler is not kept if the end was already delivered.
    mutating func setHandler(_ new: @escaping Handler) -> (isKept: Bool, old: Handler?) {
        guard !machine.isDelivered else { return (false, nil) }
        defer { handler = new }
        return (true, handler)
    }

    /// Adds an observer to call after the handler and the block have run; false if they already have.
    package mutating func addObserver(_ observer: @escaping Handler) -> Bool {
        guard !isTold else { return false }
        observers.append(observer)
        return true
    }

    /// Returns the record with everything to call at the end, and removes all closures.
    ///
    /// Closures that are no longer called are released with the returned record, outside the lock.
    mutating func takeClosures() -> OperationRecord {
        defer {
            (handler, completionBlock, token, progress) = (nil, nil, nil, nil)
            settings.releaseClosures()
        }
        return self
    }

    /// Records that the handler and the block have run, and returns the observers waiting for that.
    mutating func takeObservers() -> [Handler] {
        isTold = true
        defer { observers = [] }
        return observers
    }
}

/// The settings of an operation.
struct OperationSettings: Sendable {
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var credential: URLCredential?
    var shouldUseCredentialStorage = true
    var securityPolicy: SecurityPolicy?
    var userInfo: [String: any Sendable] = [:]
    var output: OperationOutput?
    var newBodyStream: (@Sendable () -> InputStream?)?
    var uploadProgress: ProgressHandler?
    var downloadProgress: ProgressHandler?
    var challenge: RequestOperation.ChallengeHandler?
    /// The hooks for redirects and the cache.
    var hooks = TaskHooks()
    var recovery = RequestRecovery()

    /// Returns the hooks for a request to a URL.
    func hooks(for url: URL?) -> TaskHooks {
        let answersChallenges = challenge != nil || credential != nil || !shouldUseCredentialStorage
        var hooks = hooks
        if answersChallenges { hooks.didReceiveChallenge = { answer($0, for: url, later: $1) } }
        return hooks
    }

    /// Releases the closures, which may retain the operation itself.
    mutating func releaseClosures() {
        (newBodyStream, uploadProgress, downloadProgress) = (nil, nil, nil)
        (challenge, hooks) = (nil, TaskHooks())
    }

    /// Returns the decision about a challenge; nil leaves it to the manager and the credential storage.
    ///
    /// If there is a handler, it decides. Otherwise the credential is used once, and then the protection space is
    /// rejected, as is one without a credential unless the credential storage may be used. Server trust is left to the
    /// manager.
    private func answer(
        _ question: URLAuthenticationChallenge,
        for url: URL?,
        later: @escaping @Sendable (ChallengeOutcome) -> Void
    ) -> ChallengeOutcome? {
        if let challenge { return challenge(question, later) }
        let space = question.protectionSpace
        guard space.authenticationMethod != "NSURLAuthenticationMethodServerTrust" else { return nil }
        if let credential, let url, space.isOfServer(at: url) {
            return question.previousFailureCount == 0 ? .useCredential(credential) : .rejectProtectionSpace
        }
        return shouldUseCredentialStorage ? nil : .rejectProtectionSpace
    }
}

extension URLProtectionSpace {
    /// Returns whether the space belongs to the server of a URL, also if HSTS has changed the protocol.
    func isOfServer(at url: URL) -> Bool {
        guard !isProxy(), let host = try? URLHost(host) else { return false }
        let (own, asking) = (Origin(url), Origin(scheme: `protocol`?.lowercased() ?? "", host: host, port: port))
        let port = own.port == 80 ? nil : own.port
        let secure = Origin(scheme: "https", name: own.host, isAbsoluteName: own.isAbsoluteName, port: port)
        return asking == own || (own.scheme == "http" && asking == secure)
    }
}
