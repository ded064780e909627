import FerrySession

/// Which servers a session trusts.
///
/// ```swift
/// var policy = SecurityPolicy(pinningMode: .publicKey)
/// policy.pinnedPublicKeys = ["sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8="]
/// try manager.setSecurityPolicy(policy)
/// ```
///
/// ``evaluate(_:date:)`` is the whole rule, as a function of what a server has shown. `CurlSession` asks it after the TLS
/// handshake and before any byte of a request.
///
/// AFNetworking: `AFSecurityPolicy`.
public struct SecurityPolicy: Sendable, Hashable, Codable {
    /// What a server is held to.
    public var pinningMode: PinningMode

    /// The certificates to pin, each in DER form; none by default.
    ///
    /// A pinned certificate may be the server's own or that of an authority on the path from it.
    public var pinnedCertificates: Set<Data>

    /// The public keys to pin beside those of ``pinnedCertificates``, with ``PinningMode/publicKey``; none by default.
    ///
    /// The key of an authority can be found only if the server presents the authority's certificate.
    public var pinnedPublicKeys: Set<PublicKeyPin>

    /// Whether certificates the system does not trust are accepted; false by default.
    ///
    /// Without pins and with ``validatesDomainName`` nothing is accepted: there would be nothing to check against.
    public var allowsInvalidCertificates: Bool

    /// Whether the certificate must name the host; true by default.
    ///
    /// It holds in every pinning mode. Names are those of the subject alternative name (RFC 9525); the common name does
    /// not count. AFNetworking does not look at the host with ``PinningMode/publicKey`` and
    /// ``allowsInvalidCertificates``: for a self-signed certificate with a common name alone, which is pinned, set this to
    /// false.
    public var validatesDomainName: Bool

    /// Policies of their own for some hosts; none by default.
    ///
    /// A key is a host such as `api.example.com`, `*.example.com` for all hosts below a domain, or `*`. The most specific
    /// one takes the place of this policy; host policies have none of their own. A host is meant in all its spellings, and
    /// a policy that has two spellings of one is refused.
    public var hostPolicies: [String: SecurityPolicy]

    /// Makes a policy; the default one trusts what the system trusts.
    ///
    /// - Parameters:
    ///   - pinningMode: What a server is held to.
    ///   - pinnedCertificates: The certificates to pin, each in DER form.
    ///   - pinnedPublicKeys: The public keys to pin.
    ///   - allowsInvalidCertificates: Whether certificates the system does not trust are accepted.
    ///   - validatesDomainName: Whether the certificate must name the host.
    ///   - hostPolicies: Policies of their own for some hosts.
    public init(
        pinningMode: PinningMode = .none,
        pinnedCertificates: Set<Data> = [],
        pinnedPublicKeys: Set<PublicKeyPin> = [],
        allowsInvalidCertificates: Bool = false,
        validatesDomainName: Bool = true,
        hostPolicies: [String: SecurityPolicy] = [:]
    ) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
        self.pinnedPublicKeys = pinnedPublicKeys
        self.allowsInvalidCertificates = allowsInvalidCertificates
        self.validatesDomainName = validatesDomainName
        self.hostPolicies = hostPolicies
    }

    /// Whether it is what a session does without a policy.
    var isDefault: Bool { self == SecurityPolicy() }
}
