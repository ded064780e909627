/// The identity of a server, as known between the TLS handshake and the first byte of a request.
public struct ServerTrust: Sendable, Hashable {
    /// The host of the URL in its normalized form: in lower case, without percent-encoding and brackets.
    public let host: String
    /// The port of the URL.
    public let port: Int
    /// The certificates in DER as the server presented them: its own first, then those that should lead to a root.
    public let certificates: [Data]

    /// libcurl's verdict on the chain, one of OpenSSL's `X509_V_` numbers; 0 if it is good.
    ///
    /// It is `nil` if libcurl has not verified the chain: with ``TrustMode/replacesSystemTrust``, with
    /// ``TLSOptions/dangerouslyDisablesVerification``, or if a ``ServerTrustPolicy`` verifies the chain itself.
    /// Otherwise libcurl has verified both chain and host name, unless such a policy verifies the host name itself.
    public let verifyResult: Int?

    /// OpenSSL's security level of the connection, which the keys and signatures of a path must meet.
    package var securityLevel = Self.usualSecurityLevel

    /// The level of OpenSSL 3.2 and of the distributions' older ones: keys and signatures of at least 112 bits.
    static let usualSecurityLevel = 2

    /// A Boolean value that indicates whether libcurl has verified the chain and found it good.
    public var isVerified: Bool { verifyResult == 0 }

    /// The SHA-256 hashes of the chain's public keys, in its order, without those of certificates that cannot be read.
    ///
    /// Only the first one is the server's. A server may send further certificates that its own does not lead to,
    /// so finding an authority's key among the others proves nothing; to pin one, use the security policy of a manager,
    /// which follows the signatures.
    public var publicKeyPins: [PublicKeyPin] { certificates.compactMap { try? PublicKeyPin(certificate: $0) } }

    /// Creates a value, for tests of an evaluator.
    public init(host: String, port: Int, certificates: [Data], verifyResult: Int?) {
        (self.host, self.port, self.certificates, self.verifyResult) = (host, port, certificates, verifyResult)
    }
}

/// The decision of a ``TLSOptions/trustEvaluator`` or a ``ServerTrustPolicy`` about a connection.
public enum TrustDecision: Sendable, Hashable {
    /// The connection may carry requests.
    case accept
    /// The connection is closed, and its tasks fail with this reason in their description and this code in their error.
    case refuse(reason: String, code: CurlSessionError.Code = .trustRefused)
}

/// A type that decides which connections of a session may carry requests, and how much libcurl verifies first.
///
/// Set it with ``CurlSession/trustPolicy``, at any time. Unlike ``TLSOptions/trustEvaluator``, it can overrule libcurl
/// for some hosts, and can be replaced during the life of the session.
public protocol ServerTrustPolicy: Sendable {
    /// Returns what libcurl must verify about a host before the policy is asked.
    ///
    /// It is called on a concurrent dispatch queue while the first request to a host waits, and its result is
    /// remembered for later requests. The policy is responsible for everything that libcurl does not verify. The host
    /// has the form of ``ServerTrust/host``.
    func verification(for host: String) -> TrustVerification

    /// Returns whether a connection may carry requests.
    ///
    /// It is called once for each connection, after the handshake and before any byte of a request, on a concurrent
    /// dispatch queue. With a ``TLSOptions/trustEvaluator``, it is called only if the evaluator has accepted the
    /// connection. A slow decision is handled like a slow decision of the evaluator.
    func decide(_ trust: ServerTrust) -> TrustDecision
}

/// The checks that libcurl makes on a server.
public struct TrustVerification: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The chain leads to a trusted authority, and its certificates are currently valid.
    public static let chain = Self(rawValue: 1)
    /// The certificate is valid for the host name; checked only together with the chain.
    public static let hostName = Self(rawValue: 2)
    /// The chain and the host name, as without a policy.
    public static let full: Self = [.chain, .hostName]
}

/// A policy that does not block or call the application's code, so the engine's thread can call it directly.
package protocol ImmediateTrustPolicy: ServerTrustPolicy {}
