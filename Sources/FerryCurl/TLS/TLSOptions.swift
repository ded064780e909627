/// The options for the TLS connections of a session and their verification.
///
/// ```swift
/// var options = CurlSession.Options()
/// options.tls.certificateAuthorities = .systemAnd([.pemFile(companyAuthority)])
/// options.tls.minimumVersion = .tls12
/// options.tls.publicKeyPins = [
///     "api.example.com": ["sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8="]
/// ]
/// let session = CurlSession(configuration: .default, options: options)
/// ```
///
/// Files are read when the session is made. If an option cannot be applied, for example because of a damaged
/// certificate or a feature that libcurl's TLS backend does not support, every https task of the session fails
/// immediately: no option is ignored.
public struct TLSOptions: Sendable {
    /// The authorities whose certificates are trusted; by default those of the system.
    public var certificateAuthorities = CertificateAuthorities.system

    /// The certificate and key presented to servers that request one; by default none.
    ///
    /// It identifies the user, so it is presented only to the origin of a task's own URL, and to no other origin that a
    /// redirect leads to, unless ``clientCertificateHosts`` contains its host.
    public var clientCertificate: ClientCertificate?

    /// The hosts that ``clientCertificate`` is presented to, in the notation of ``publicKeyPins``; by default the host
    /// of each task's own URL.
    public var clientCertificateHosts: [String] = []

    /// The lowest TLS version to accept, also where the TLS library is configured for another; TLS 1.2 by default, or
    /// ``maximumVersion`` if that is lower.
    public var minimumVersion: TLSVersion?
    /// The highest TLS version to offer; by default the highest one available.
    public var maximumVersion: TLSVersion?
    /// The cipher suites of TLS 1.2 and lower, by their OpenSSL names in order of preference; by default libcurl's.
    ///
    /// Here and in ``tls13CipherSuites``, OpenSSL skips unknown names if the list has at least one known name.
    public var cipherSuites: [String] = []
    /// The cipher suites of TLS 1.3, such as `TLS_AES_256_GCM_SHA384`, in order of preference; by default libcurl's.
    public var tls13CipherSuites: [String] = []

    /// The public keys that a host's own certificate may have, by host; by default any.
    ///
    /// A key is a host such as `api.example.com`, `*.example.com` for all hosts below a domain, or `*` for every host;
    /// the most specific one applies. A task whose server has another key fails with `serverCertificateUntrusted` and
    /// the reason `pinMismatch` before any byte of the request is sent. Add a second pin for the key that will replace
    /// the current one.
    ///
    /// A name or address matches in all its spellings: `127.0.0.1` is also `127.1` and `0x7f.1`, and international
    /// names may be written in Unicode or as `xn--…`. Two spellings of the same host are refused, since they are
    /// ambiguous.
    public var publicKeyPins: [String: [PublicKeyPin]] = [:]

    /// A file with certificate revocation lists as PEM text (RFC 5280, section 5); by default none.
    ///
    /// It must have a current list of each authority on the path of a server, also of those that have revoked nothing;
    /// otherwise the server is refused with the reason `revocationUnknown`. The authorities of the session must be
    /// roots, and libcurl must verify the chain: tasks to a host whose trust policy verifies it in place of libcurl
    /// fail with `invalidTLSOptions`. The file is checked when the session is made, and libcurl reads it for each
    /// connection, so a newer one takes effect with the next. TLS sessions are not resumed, which would skip the check.
    /// It applies to proxies over TLS too.
    public var revocationLists: URL?

    /// A Boolean value that indicates whether a server must present a current OCSP response, by which its authority
    /// says that its certificate is not revoked (RFC 6066, section 8); `false` by default.
    ///
    /// A server that presents none in the handshake is refused with the reason `revocationUnknown`; many do not. It
    /// must also present the certificate of its issuer. Ferry asks no authority itself. As with ``revocationLists``,
    /// libcurl must verify the chain, and TLS sessions are not resumed. It does not apply to proxies.
    public var requiresStapledStatus = false

    /// A closure that evaluates a connection after its handshake and before any byte of a request; by default none.
    ///
    /// It is called once for each connection, with the chain that the server presented, on a concurrent dispatch queue;
    /// requests that share the connection share the decision. A refused connection is closed without carrying a
    /// request; its task fails with `serverCertificateUntrusted` and the reason `trustRefused`.
    ///
    /// A decision that takes more than 50 milliseconds delays only its own transfer: the connection is closed, and the
    /// decision applies to the transfer's next connection, if the server presents the same chain there.
    ///
    /// It requires OpenSSL or one of its forks; otherwise the session's https tasks fail with the reason
    /// `tlsUnsupported`.
    public var trustEvaluator: (@Sendable (ServerTrust) -> TrustDecision)?

    /// Whether ``trustEvaluator`` runs after libcurl's own verification, the default, or replaces it.
    public var trustMode = TrustMode.verifiesFirst

    /// A Boolean value that indicates whether any certificate of any server is accepted, so that anyone on the network
    /// path can read and change everything.
    ///
    /// Use it only in tests. Pins and ``trustEvaluator`` still apply. The default is `false`.
    public var dangerouslyDisablesVerification = false

    /// Creates the default options, which a closure may change: the system's authorities, and full verification.
    public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
}

/// The relation between libcurl's verification of certificates and ``TLSOptions/trustEvaluator``.
public enum TrustMode: Sendable, Hashable {
    /// A connection must pass libcurl's verification of chain and host name first; the evaluator can only refuse it.
    case verifiesFirst

    /// DANGEROUS: the evaluator alone decides, and libcurl checks neither the chain nor the host name.
    ///
    /// Without an evaluator, the session's https tasks fail.
    case replacesSystemTrust
}

/// A version of TLS.
public enum TLSVersion: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// TLS 1.0 (RFC 2246), deprecated by RFC 8996.
    case tls10 = 4
    /// TLS 1.1 (RFC 4346), deprecated by RFC 8996.
    case tls11 = 5
    /// TLS 1.2 (RFC 5246).
    case tls12 = 6
    /// TLS 1.3 (RFC 8446).
    case tls13 = 7

    /// Returns a Boolean value that indicates whether the first version is older than the second.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Returns libcurl's value for a range of versions; without a minimum, libcurl would accept TLS 1.0.
    package static func curlValue(minimum: Self?, maximum: Self?) -> Int {
        (minimum ?? min(maximum ?? .tls12, .tls12)).rawValue | (maximum?.rawValue ?? 0) << 16
    }
}
