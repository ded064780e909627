/// How a session makes and judges its TLS connections, as plain values.
///
/// ```swift
/// var options = CurlSession.Options()
/// options.tls.certificateAuthorities = .systemAnd([.pemFile(companyAuthority)])
/// options.tls.minimumVersion = .tls12
/// options.tls.publicKeyPins = ["api.example.com": ["sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8="]]
/// let session = CurlSession(configuration: .default, options: options)
/// ```
///
/// Files are read when the session is made. What cannot be had as it is wished for, such as a damaged certificate or a
/// hook that libcurl's TLS backend does not support, fails every https task of the session at once: nothing is skipped.
public struct TLSOptions: Sendable {
    /// The authorities whose certificates are trusted; by default the system's.
    public var certificateAuthorities = CertificateAuthorities.system

    /// The certificate and key shown to servers that ask for one; by default none.
    ///
    /// It says who the user is, so it is shown to the origin of a task's own URL, and to no other origin that a redirect
    /// leads to, unless ``clientCertificateHosts`` names its host.
    public var clientCertificate: ClientCertificate?

    /// The hosts that ``clientCertificate`` is shown to, as ``publicKeyPins`` writes them; by default the host of each
    /// task's own URL.
    public var clientCertificateHosts: [String] = []

    /// The lowest version of TLS to accept; by default libcurl's, TLS 1.2 on current systems.
    public var minimumVersion: TLSVersion?

    /// The highest version of TLS to offer; by default the highest there is.
    public var maximumVersion: TLSVersion?

    /// The cipher suites of TLS 1.2 and lower by OpenSSL's names, in order of preference; by default libcurl's.
    public var cipherSuites: [String] = []

    /// The cipher suites of TLS 1.3, such as `TLS_AES_256_GCM_SHA384`, in order of preference; by default libcurl's.
    public var tls13CipherSuites: [String] = []

    /// The public keys that a host's own certificate may have, by host.
    ///
    /// A key is a host such as `api.example.com`, `*.example.com` for all hosts below a domain, or `*` for every host;
    /// the most specific one counts. A server with another key fails with `serverCertificateUntrusted` and the reason
    /// `pinMismatch` before any byte of a request is sent. Give a second pin for the key that comes next.
    ///
    /// A name or address is meant in all its spellings: `127.0.0.1` is also `127.1` and `0x7f.1`, and international names
    /// may be written as they are or as `xn--…`. Two spellings of one host are refused, since either could be meant.
    public var publicKeyPins: [String: [PublicKeyPin]] = [:]

    /// Judges a connection after its handshake and before any byte of a request; by default nobody is asked.
    ///
    /// It is asked once for each connection, with the chain the server presented; requests that share the connection
    /// share the decision. It runs on a thread of its own. One that takes more than 50 milliseconds delays its own
    /// transfer only: the connection is closed, and the decision counts for the transfer's next one, if the server shows
    /// the same chain there. A refused connection never carries a request, and is closed; its task fails with
    /// `serverCertificateUntrusted` and the reason `trustRefused`.
    ///
    /// It works where libcurl (7.80 or later) uses OpenSSL or a library of its kind; elsewhere the session's https tasks
    /// fail with the reason `tlsUnsupported`.
    public var trustEvaluator: (@Sendable (ServerTrust) -> TrustDecision)?

    /// Whether ``trustEvaluator`` comes after libcurl's own verification, as by default, or takes its place.
    public var trustMode = TrustMode.verifiesFirst

    /// Accepts any certificate of any server, so that everyone on the way can read and change everything.
    ///
    /// It is for tests alone. Pins and ``trustEvaluator`` still hold.
    public var dangerouslyDisablesVerification = false

    /// What libcurl does by itself: the system's authorities, and full verification.
    public init() {}
}
