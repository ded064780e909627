/// The certificate authorities that a session trusts.
public enum CertificateAuthorities: Sendable, Hashable {
    /// The authorities of the system.
    case system

    /// The authorities of the system, and the given ones.
    case systemAnd([CertificateSource])

    /// Only the given authorities.
    case only([CertificateSource])
}
