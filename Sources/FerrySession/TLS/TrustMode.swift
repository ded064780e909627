/// The relation between libcurl's verification of certificates and ``TLSOptions/trustEvaluator``.
public enum TrustMode: Sendable, Hashable {
    /// A connection must pass libcurl's verification of chain and host name first; the evaluator can only refuse it.
    case verifiesFirst

    /// DANGEROUS: the evaluator alone decides, and libcurl checks neither the chain nor the host name.
    ///
    /// Without an evaluator, the session's https tasks fail.
    case replacesSystemTrust
}
