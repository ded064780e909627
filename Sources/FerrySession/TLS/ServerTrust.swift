/// What is known of a server between the TLS handshake and the first byte of a request.
public struct ServerTrust: Sendable, Hashable {
    /// The host of the URL, in lower case.
    public let host: String

    /// The port of the URL.
    public let port: Int

    /// The certificates as the server presented them, in DER: its own first, then those that should lead to a root.
    public let certificates: [Data]

    /// The TLS library's verdict on the chain, one of OpenSSL's `X509_V_` numbers; 0 is a good one.
    ///
    /// 10 is an expired certificate, 18 a self-signed one, 20 an unknown issuer. It says nothing about the host's name.
    public let verifyResult: Int

    /// Whether the chain leads to a trusted authority; it says nothing about the host's name.
    public var isChainTrusted: Bool { verifyResult == 0 }

    /// The SHA-256 hashes of the chain's public keys, in its order, without those of certificates that cannot be read.
    ///
    /// ``TLSOptions/publicKeyPins`` compares the server's own key; with these an evaluator can pin an authority's.
    public var publicKeyPins: [PublicKeyPin] { certificates.compactMap { try? PublicKeyPin(certificate: $0) } }

    /// Makes a value, as tests of an evaluator need it.
    public init(host: String, port: Int, certificates: [Data], verifyResult: Int) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.verifyResult = verifyResult
    }
}
