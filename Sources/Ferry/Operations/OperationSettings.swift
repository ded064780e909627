import Foundation

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

    /// Releases the closures, which may retain the operation itself.
    mutating func releaseClosures() {
        (newBodyStream, uploadProgress, downloadProgress) = (nil, nil, nil)
        (challenge, redirect, cacheResponse) = (nil, nil, nil)
    }

    private var answersChallenges: Bool {
        challenge != nil || credential != nil || !shouldUseCredentialStorage
    }

    /// Returns the decision about a challenge; nil leaves it to the manager and the credential storage.
    ///
    /// A handler decides alone. Otherwise the credential is used once, and then the protection space is rejected.
    /// Without a credential it is rejected too, unless the credential storage may be used. Server trust is left to
    /// the manager.
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
