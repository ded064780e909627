/// What ``TLSOptions/trustEvaluator`` and a ``ServerTrustPolicy`` answer.
public enum TrustDecision: Sendable, Hashable {
    /// The connection may carry requests.
    case accept

    /// The connection is closed, and its tasks fail with the reason in their text and the code in their error.
    case refuse(reason: String, code: CurlSessionError.Code = .trustRefused)
}
