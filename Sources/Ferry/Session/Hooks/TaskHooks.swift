import FerrySession

/// What decides for one task, ahead of the manager's hooks; runs on the manager's operation queue.
struct TaskHooks: Sendable {
    /// Decides about a challenge; nil leaves it to the manager's hooks.
    ///
    /// The function is for an answer that comes after ``ChallengeOutcome/deferred``.
    var didReceiveChallenge:
        (@Sendable (URLAuthenticationChallenge, @escaping @Sendable (ChallengeOutcome) -> Void) -> ChallengeOutcome?)?

    /// Gives the request to follow a redirection with; nil refuses it.
    var willPerformRedirection: (@Sendable (HTTPURLResponse, URLRequest) -> URLRequest?)?

    /// Gives what to cache; nil caches nothing.
    var willCacheResponse: (@Sendable (CachedURLResponse) -> CachedURLResponse?)?
}
