import FerrySession

/// What can be set on an operation.
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
    var redirect: (@Sendable (HTTPURLResponse, URLRequest) -> URLRequest?)?
    var cacheResponse: (@Sendable (CachedURLResponse) -> CachedURLResponse?)?

    /// The hooks for the operation's tasks.
    var hooks: TaskHooks {
        TaskHooks(
            didReceiveChallenge: answersChallenges ? answer : nil,
            willPerformRedirection: redirect,
            willCacheResponse: cacheResponse
        )
    }

    /// Lets go of what may hold the operation itself.
    mutating func releaseClosures() {
        (newBodyStream, uploadProgress, downloadProgress) = (nil, nil, nil)
        (challenge, redirect, cacheResponse) = (nil, nil, nil)
    }

    private var answersChallenges: Bool {
        challenge != nil || credential != nil || !shouldUseCredentialStorage
    }

    /// The handler's answer; else the credential, once; else none, unless the storage or the manager may have one.
    private func answer(
        _ question: URLAuthenticationChallenge,
        later: @escaping @Sendable (ChallengeOutcome) -> Void
    ) -> ChallengeOutcome? {
        if let challenge { return challenge(question, later) }
        guard question.protectionSpace.authenticationMethod != "NSURLAuthenticationMethodServerTrust" else {
            return nil
        }
        if let credential {
            return question.previousFailureCount == 0 ? .useCredential(credential) : .rejectProtectionSpace
        }
        return shouldUseCredentialStorage ? nil : .rejectProtectionSpace
    }
}
