/// What the session's own verification of certificates means beside ``TLSOptions/trustEvaluator``.
public enum TrustMode: Sendable, Hashable {
    /// A connection has to pass libcurl's verification of chain and host name, and then the evaluator can only refuse it.
    case verifiesFirst

    /// DANGEROUS: the evaluator alone decides, and libcurl checks neither the chain nor the host name.
    ///
    /// Without an evaluator the session's https tasks fail.
    case replacesSystemTrust
}
