import Foundation

/// What to do about an authentication challenge.
///
/// AFNetworking: the values its authentication challenge handler returns.
public enum ChallengeOutcome: Sendable {
    /// Uses a credential.
    case useCredential(URLCredential)

    /// Handles the challenge as if there were no hook.
    case performDefaultHandling

    /// Cancels the task, which completes with this error.
    case cancel(any Error)

    /// Rejects this protection space, so that the next one is tried.
    case rejectProtectionSpace

    /// Decides later: the hook must call the function it was given, once and from any thread.
    case deferred
}
