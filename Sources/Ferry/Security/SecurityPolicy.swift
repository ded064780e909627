/// The rules by which a session trusts servers.
///
/// ```swift
/// var policy = SecurityPolicy(pinningMode: .publicKey)
/// policy.pinnedPublicKeys = [
///     "sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8="
/// ]
/// try manager.setSecurityPolicy(policy)
/// ```
///
/// ``evaluate(_:date:)`` implements the whole policy, as a function of the certificates that a server presented.
/// `CurlSession` calls it after the TLS handshake, before it sends a request.
///
/// AFNetworking: `AFSecurityPolicy`.
public struct SecurityPolicy: Sendable, Hashable, Codable {
    /// The part of the certificate that is pinned; nothing by default.
    public var pinningMode: PinningMode

    /// The certificates to pin, each in DER form; none by default.
    ///
    /// A pinned certificate may be the server's own or that of an authority on the path from it.
    public var pinnedCertificates: Set<Data>

    /// The public keys to pin in addition to those of ``pinnedCertificates``, with ``PinningMode/publicKey``; none by
    /// default.
    ///
    /// The key of an authority can be found only if the server presents the authority's certificate.
    public var pinnedPublicKeys: Set<PublicKeyPin>

    /// A Boolean value that indicates whether certificates the system does not trust are accepted; false by default.
    ///
    /// Without pins and with ``validatesDomainName``, no server is accepted, because there would be nothing to check
    /// against.
    public var allowsInvalidCertificates: Bool

    /// A Boolean value that indicates whether the certificate must name the host; true by default.
    ///
    /// It applies in every pinning mode. Only the names in the subject alternative name count (RFC 9525), not the
    /// common name. AFNetworking does not validate the host with ``PinningMode/publicKey`` and
    /// ``allowsInvalidCertificates``; to pin a self-signed certificate that has only a common name, set this to false.
    public var validatesDomainName: Bool

    /// Separate policies for some hosts; none by default.
    ///
    /// A key is a host such as `api.example.com`, `*.example.com` for all hosts below a domain, or `*`. The most
    /// specific matching one replaces this policy. Host policies must not have host policies themselves. A key matches
    /// all spellings of its host, and a policy with two spellings of the same host is invalid.
    public var hostPolicies: [String: SecurityPolicy]

    /// Creates a policy; the default one trusts what the system trusts.
    ///
    /// - Parameters:
    ///   - pinningMode: The part of the certificate that is pinned.
    ///   - pinnedCertificates: The certificates to pin, each in DER form.
    ///   - pinnedPublicKeys: The public keys to pin.
    ///   - allowsInvalidCertificates: Whether certificates the system does not trust are accepted.
    ///   - validatesDomainName: Whether the certificate must name the host.
    ///   - hostPolicies: Separate policies for some hosts.
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

    /// Whether the policy has the default settings, which are those of a session without a policy.
    var isDefault: Bool { self == SecurityPolicy() }

    /// The part of a server's certificates that is compared with pins.
    public enum PinningMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing is pinned; the system's trusted authorities decide.
        case none

        /// The public keys are compared with the pinned ones and those of the pinned certificates.
        case publicKey

        /// The certificates are compared with the pinned ones.
        case certificate
    }

    // MARK: - Validation

    /// Throws an error if a part of the policy could never match, so that the policy would silently trust no server.
    func validate() throws(NetworkError) {
        do throws(CurlSessionError) {
            _ = try hostTable()
        } catch {
            throw NetworkError(.invalidSecurityPolicy, message: error.message, underlyingError: error)
        }
        try validatePins()
        for (host, policy) in hostPolicies {
            guard policy.hostPolicies.isEmpty else {
                let shown = PresentableText.url(host)
                throw NetworkError(
                    .invalidSecurityPolicy,
                    message: "The policy of the host \(shown) must not have host policies itself"
                )
            }
            try policy.validatePins()
        }
    }

    private func validatePins() throws(NetworkError) {
        if let pin = pinnedPublicKeys.first(where: { !$0.isValid }) {
            throw NetworkError(.invalidSecurityPolicy, message: "The pin \(pin) is not a SHA-256 hash in base64")
        }
        guard pinnedCertificates.allSatisfy({ X509Certificate(der: $0) != nil }) else {
            throw NetworkError(.invalidSecurityPolicy, message: "A pinned certificate is not valid DER")
        }
    }
}

extension NetworkError {
    /// The error of a policy that a session cannot enforce.
    static func unenforceable(by transport: String) -> NetworkError {
        NetworkError(
            .invalidSecurityPolicy,
            message: "A security policy other than the default one cannot be enforced by \(transport): use .curl"
        )
    }
}
