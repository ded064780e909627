/// A certificate with its private key, for servers that ask clients who they are.
///
/// Its texts never show the key or the passphrase.
public struct ClientCertificate: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    enum Storage: Sendable, Hashable {
        case pem(certificate: Input, key: Input?)
        case pkcs12(Input)
    }

    enum Input: Sendable, Hashable {
        case data(Data)
        case file(URL)
    }

    let storage: Storage
    let passphrase: String?

    private init(_ storage: Storage, _ passphrase: String?) {
        self.storage = storage
        self.passphrase = passphrase
    }

    /// A certificate, with the intermediate ones behind it, and its key as PEM text.
    ///
    /// - Parameters:
    ///   - certificate: The certificate, and the key too where `key` is `nil`.
    ///   - key: The private key.
    ///   - passphrase: What opens an encrypted key.
    /// - Returns: The client certificate; it is checked when a session is made with it.
    public static func pem(certificate: Data, key: Data? = nil, passphrase: String? = nil) -> Self {
        Self(.pem(certificate: .data(certificate), key: key.map(Input.data)), passphrase)
    }

    /// A certificate, with the intermediate ones behind it, and its key in PEM files.
    ///
    /// - Parameters:
    ///   - certificate: The file with the certificate, and the key too where `key` is `nil`.
    ///   - key: The file with the private key.
    ///   - passphrase: What opens an encrypted key.
    /// - Returns: The client certificate; the files are read when a session is made with it.
    public static func pemFiles(certificate: URL, key: URL? = nil, passphrase: String? = nil) -> Self {
        Self(.pem(certificate: .file(certificate), key: key.map(Input.file)), passphrase)
    }

    /// A certificate and its key as PKCS#12 (RFC 7292).
    public static func pkcs12(_ data: Data, passphrase: String? = nil) -> Self {
        Self(.pkcs12(.data(data)), passphrase)
    }

    /// A certificate and its key in a PKCS#12 file (RFC 7292), read when a session is made with it.
    public static func pkcs12File(_ url: URL, passphrase: String? = nil) -> Self {
        Self(.pkcs12(.file(url)), passphrase)
    }

    /// The kind of it, without anything secret.
    public var description: String {
        switch storage {
        case .pem: "a PEM client certificate"
        case .pkcs12: "a PKCS#12 client certificate"
        }
    }

    /// The kind of it, without anything secret.
    public var debugDescription: String { description }

    /// Nothing: `dump` would print the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
