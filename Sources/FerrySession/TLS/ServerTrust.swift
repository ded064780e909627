/// What is known of a server between the TLS handshake and the first byte of a request.
public struct ServerTrust: Sendable, Hashable {
    /// The host of the URL in one form for all its spellings: in lower case, without percent-encoding and brackets.
    public let host: String

    /// The port of the URL.
    public let port: Int

    /// The certificates as the server presented them, in DER: its own first, then those that should lead to a root.
    public let certificates: [Data]

    /// libcurl's verdict on the chain, one of OpenSSL's `X509_V_` numbers; 0 is a good one.
    ///
    /// It is `nil` where libcurl has verified nothing: with ``TrustMode/replacesSystemTrust``, or with
    /// ``TLSOptions/dangerouslyDisablesVerification``, or where a ``ServerTrustPolicy`` leaves the chain to itself. Otherwise
    /// both chain and host name have been verified before, unless such a policy leaves the host name to itself.
    public let verifyResult: Int?

    /// Whether libcurl has verified chain and host name, and found them good.
    public var isVerified: Bool { verifyResult == 0 }

    /// The SHA-256 hashes of the chain's public keys, in its order, without those of certificates that cannot be read.
    ///
    /// ``TLSOptions/publicKeyPins`` compares the server's own key; with these an evaluator can pin an authority's.
    public var publicKeyPins: [PublicKeyPin] { certificates.compactMap { try? PublicKeyPin(certificate: $0) } }

    /// Makes a value, as tests of an evaluator need it.
    public init(host: String, port: Int, certificates: [Data], verifyResult: Int?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.verifyResult = verifyResult
    }
}
