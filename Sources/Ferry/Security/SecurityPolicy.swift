import FerrySession

/// Which servers a session trusts.
///
/// AFNetworking: `AFSecurityPolicy`.
public struct SecurityPolicy: Sendable, Hashable {
    /// What a server is held to.
    public var pinningMode: PinningMode

    /// The certificates to pin, each in DER form; none by default.
    public var pinnedCertificates: Set<Data>

    /// Whether certificates the system does not trust are accepted; false by default.
    ///
    /// Without pins and with ``validatesDomainName`` nothing is accepted: there would be nothing to check against.
    public var allowsInvalidCertificates: Bool

    /// Whether the certificate must name the host; true by default.
    public var validatesDomainName: Bool

    /// Makes a policy; the default one trusts what the system trusts.
    ///
    /// - Parameters:
    ///   - pinningMode: What a server is held to.
    ///   - pinnedCertificates: The certificates to pin, each in DER form.
    ///   - allowsInvalidCertificates: Whether certificates the system does not trust are accepted.
    ///   - validatesDomainName: Whether the certificate must name the host.
    public init(
        pinningMode: PinningMode = .none,
        pinnedCertificates: Set<Data> = [],
        allowsInvalidCertificates: Bool = false,
        validatesDomainName: Bool = true
    ) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
        self.allowsInvalidCertificates = allowsInvalidCertificates
        self.validatesDomainName = validatesDomainName
    }
}
