/// The decision about one authentication challenge, passed to the session at most once.
final class ChallengeAnswer: Sendable {
    let challenge: URLAuthenticationChallenge
    let task: URLSessionTask
    let delegate: TaskDelegate?
    /// Whether default handling must be replaced: without a credential, FoundationNetworking's never ends.
    let defaultHandlingHangs: Bool
    let completionHandler: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    private let isGiven = Mutex(false)

    init(
        _ challenge: URLAuthenticationChallenge,
        of task: URLSessionTask,
        delegate: TaskDelegate?,
        defaultHandlingHangs: Bool,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        self.challenge = challenge
        self.task = task
        self.delegate = delegate
        self.defaultHandlingHangs = defaultHandlingHangs
        self.completionHandler = completionHandler
    }

    /// Asks the task's hook, then the session's for a challenge about the connection, then the hook for all tasks.
    func outcome(hooks: SessionHooks, session: URLSession) -> ChallengeOutcome {
        if let outcome = delegate?.hooks().didReceiveChallenge?(challenge, give) { return outcome }
        if let hook = hooks.sessionDidReceiveChallenge, challenge.concernsConnection {
            let outcome = hook(session, challenge)
            if case .deferred = outcome { return .performDefaultHandling }
            return outcome
        }
        return hooks.taskDidReceiveChallenge?(session, task, challenge, give) ?? .performDefaultHandling
    }

    /// Passes an outcome to the session; ignores `.deferred`, and all but the first.
    func give(_ outcome: ChallengeOutcome) {
        if case .deferred = outcome { return }
        guard isGiven.claim() else { return }
        switch outcome {
        case .useCredential(let credential): completionHandler(.useCredential, credential)
        case .performDefaultHandling: performDefaultHandling()
        case .rejectProtectionSpace: completionHandler(.rejectProtectionSpace, nil)
        case .cancel(let error):
            delegate?.fail(with: error)
            completionHandler(.cancelAuthenticationChallenge, nil)
        case .deferred: break
        }
    }

    private func performDefaultHandling() {
        guard defaultHandlingHangs else { return completionHandler(.performDefaultHandling, nil) }
        if challenge.previousFailureCount == 0, let credential = challenge.proposedCredential, credential.hasPassword {
            return completionHandler(.useCredential, credential)
        }
        delegate?.acceptChallengeAsResponse()
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
}

extension URLAuthenticationChallenge {
    /// Whether the challenge concerns the connection rather than one request.
    fileprivate var concernsConnection: Bool {
        [
            "NSURLAuthenticationMethodServerTrust", "NSURLAuthenticationMethodClientCertificate",
            "NSURLAuthenticationMethodNTLM", "NSURLAuthenticationMethodNegotiate",
        ].contains(protectionSpace.authenticationMethod)
    }
}
