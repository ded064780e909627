internal import FerryDigest

/// The SHA-256 hash of a certificate's public key with its algorithm (SubjectPublicKeyInfo), as in RFC 7469.
///
/// `openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary |
/// base64` prints one.
public struct PublicKeyPin: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The hash in base64.
    public let base64: String

    /// A pin from the hash in base64, with or without the `sha256//` of curl or the `sha256/` of others before it.
    ///
    /// A text that is no hash matches no key: sessions with it fail their https tasks.
    public init(_ text: String) {
        let prefix = ["sha256//", "sha256/"].first(where: text.hasPrefix) ?? ""
        base64 = String(text.dropFirst(prefix.count))
    }

    /// A pin as a literal, such as `"sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8="`.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The pin of the public key in a certificate, given as PEM text or DER.
    ///
    /// Throws a ``CurlSessionError`` with the code `invalidTLSOptions` for what is no certificate.
    public init(certificate: Data) throws(CurlSessionError) {
        let blocks = (try? PEM.blocks(in: certificate, what: "The certificate")) ?? []
        let der = blocks.first { PEM.certificateLabels.contains($0.label) }?.content ?? certificate
        guard let key = DERReader.publicKeyInfo(ofCertificate: der) else {
            throw CurlSessionError(.invalidTLSOptions, "The certificate cannot be read, so it has no public key to pin")
        }
        self.init(publicKeyInfo: key)
    }

    /// The pin of a public key with its algorithm (SubjectPublicKeyInfo), in DER.
    package init(publicKeyInfo: Data) {
        base64 = SHA256Hash.hash(publicKeyInfo).base64EncodedString()
    }

    /// Whether it is a hash at all.
    public var isValid: Bool { Data(base64Encoded: base64)?.count == 32 }

    /// Reads a pin as `description` writes it.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the pin with curl's prefix.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The pin with curl's prefix.
    public var description: String { "sha256//\(base64)" }
}
