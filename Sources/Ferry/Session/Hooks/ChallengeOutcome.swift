import FerrySession

/// What to do about an authentication challenge.
///
/// AFNetworking: the values its authentication challenge handler returns.
public enum ChallengeOutcome: Sendable {
    /// Answers with a credential.
    case useCredential(URLCredential)

    /// Does what would be done without a hook.
    case performDefaultHandling

    /// Cancels the task, which ends with this error.
    case cancel(any Error)

    /// Refuses this protection space, so that the next one is tried.
    case rejectProtectionSpace

    /// Leaves the answer for later: the hook calls the function it was given, from any thread and once.
    case deferred
}
