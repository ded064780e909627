/// What is known about a server between the TLS handshake and the first byte of a request.
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

    /// A Boolean value that indicates whether libcurl has verified the chain and found it good.
    public var isVerified: Bool { verifyResult == 0 }

    /// The SHA-256 hashes of the chain's public keys, in its order, without those of certificates that cannot be read.
    ///
    /// ``TLSOptions/publicKeyPins`` compares only the server's own key. With these, an evaluator can pin the key of an
    /// authority.
    public var publicKeyPins: [PublicKeyPin] { certificates.compactMap { try? PublicKeyPin(certificate: $0) } }

    /// Creates a value, for tests of an evaluator.
    public init(host: String, port: Int, certificates: [Data], verifyResult: Int?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.verifyResult = verifyResult
    }
}
