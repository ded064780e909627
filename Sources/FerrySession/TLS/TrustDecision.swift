/// What ``TLSOptions/trustEvaluator`` answers.
public enum TrustDecision: Sendable, Hashable {
    /// The connection may carry requests.
    case accept

    /// The connection is closed, and its tasks fail with the reason in their text.
    case refuse(reason: String)
}
