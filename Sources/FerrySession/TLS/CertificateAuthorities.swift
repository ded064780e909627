/// The authorities whose certificates a session trusts.
public enum CertificateAuthorities: Sendable, Hashable {
    /// Those of the system.
    case system

    /// Those of the system, and these.
    case systemAnd([CertificateSource])

    /// These, and not the system's.
    case only([CertificateSource])
}
