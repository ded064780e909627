/// The SHA-256 hash of a certificate's public key and its algorithm (SubjectPublicKeyInfo), as in RFC 7469.
///
/// This command prints one: `openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl
/// dgst -sha256 -binary | base64`.
public struct PublicKeyPin: Sendable, Hashable, Codable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The hash in base64.
    public let base64: String

    /// Creates a pin from a hash in base64, with or without curl's prefix `sha256//` or the prefix `sha256/`.
    ///
    /// A text that is not a hash matches no key: sessions with such a pin fail their https tasks.
    public init(_ text: String) {
        let prefix = ["sha256//", "sha256/"].first(where: text.hasPrefix) ?? ""
        base64 = String(text.dropFirst(prefix.count))
    }

    /// Creates a pin from a literal, such as `"sha256//8Rw90Ej3Ttt8RRkrg+WYDS9n7IS03bk5bjP/UXPtaY8="`.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates a pin of the public key in a certificate, given as PEM text or DER.
    ///
    /// - Throws: ``CurlSessionError`` with the code `invalidTLSOptions` if it is not a certificate.
    public init(certificate: Data) throws(CurlSessionError) {
        let blocks = (try? PEM.blocks(in: certificate, what: "The certificate")) ?? []
        guard
            let key = X509Certificate(der: blocks.first(where: \.isCertificate)?.content ?? certificate)?.publicKeyInfo
        else { throw .invalidTLS("The certificate cannot be read, so it has no public key to pin") }
        self.init(publicKeyInfo: key)
    }

    /// Creates a pin of a public key and its algorithm (SubjectPublicKeyInfo), in DER.
    package init(publicKeyInfo: Data) { base64 = SHA256Hash.hash(publicKeyInfo).base64EncodedString() }

    /// A Boolean value that indicates whether the text is a SHA-256 hash in base64.
    public var isValid: Bool { Data(base64Encoded: base64)?.count == 32 }

    /// Creates a pin from its text, as `description` has it.
    public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

    /// Encodes the pin as its text with curl's prefix.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The pin with curl's prefix.
    public var description: String { "sha256//\(base64)" }
}

/// The public keys that each host may use.
package struct HostPins: Sendable {
    private var table = HostTable<[PublicKeyPin]>()

    package init(_ pins: [String: [PublicKeyPin]]) throws(CurlSessionError) {
        for (pattern, list) in pins {
            guard !list.isEmpty, list.allSatisfy(\.isValid) else {
                let problem = list.isEmpty ? "has no pin" : "has a pin that is not a SHA-256 hash in base64"
                throw .invalidTLS("The pinned host \(URLHost.quoted(pattern)) \(problem)")
            }
            try table.add(pattern, list)
        }
    }

    /// Returns the pins of a host in libcurl's format, or `nil` if there are none.
    package func curlValue(for host: String) throws(CurlSessionError) -> String? {
        try table.value(for: host).map { $0.map(\.description).joined(separator: ";") }
    }
}
