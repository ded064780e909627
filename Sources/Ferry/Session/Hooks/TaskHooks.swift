import Foundation

/// The hooks of one task, which come before the manager's; they run on the manager's operation queue.
struct TaskHooks: Sendable {
    /// Decides about a challenge; nil leaves it to the manager's hooks.
    ///
    /// The second argument is a function to call with the outcome, after ``ChallengeOutcome/deferred`` was returned.
    var didReceiveChallenge:
        (@Sendable (URLAuthenticationChallenge, @escaping @Sendable (ChallengeOutcome) -> Void) -> ChallengeOutcome?)?

    /// Returns the request to follow a redirect with; nil refuses it.
    var willPerformRedirection: (@Sendable (HTTPURLResponse, URLRequest) -> URLRequest?)?

    /// Returns the response to cache; nil caches nothing.
    var willCacheResponse: (@Sendable (CachedURLResponse) -> CachedURLResponse?)?
}
