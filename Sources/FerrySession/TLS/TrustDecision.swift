/// The decision of a ``TLSOptions/trustEvaluator`` or a ``ServerTrustPolicy`` about a connection.
public enum TrustDecision: Sendable, Hashable {
    /// The connection may carry requests.
    case accept

    /// The connection is closed, and its tasks fail with this reason in their description and this code in their error.
    case refuse(reason: String, code: CurlSessionError.Code = .trustRefused)
}
