/// A certificate and its private key, for servers that authenticate clients.
///
/// Its textual descriptions never contain the key or the passphrase.
public struct ClientCertificate: Sendable, Hashable, RedactedDescription {
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

    private init(_ storage: Storage, _ passphrase: String?) { (self.storage, self.passphrase) = (storage, passphrase) }

    /// Returns a client certificate from PEM text: the certificate, any intermediate ones after it, and its key.
    ///
    /// - Parameters:
    ///   - certificate: The certificate; also the key if `key` is `nil`.
    ///   - key: The private key.
    ///   - passphrase: The passphrase of an encrypted key.
    /// - Returns: The client certificate. It is checked when a session is made with it.
    public static func pem(certificate: Data, key: Data? = nil, passphrase: String? = nil) -> Self {
        Self(.pem(certificate: .data(certificate), key: key.map(Input.data)), passphrase)
    }

    /// Returns a client certificate from PEM files, as ``pem(certificate:key:passphrase:)`` does from data.
    ///
    /// The files are read when a session is made with it.
    public static func pemFiles(certificate: URL, key: URL? = nil, passphrase: String? = nil) -> Self {
        Self(.pem(certificate: .file(certificate), key: key.map(Input.file)), passphrase)
    }

    /// Returns a client certificate from PKCS#12 data (RFC 7292) with the certificate and its key.
    ///
    /// It is checked when a session is made with it. The passphrase is empty by default.
    public static func pkcs12(_ data: Data, passphrase: String? = nil) -> Self {
        Self(.pkcs12(.data(data)), passphrase)
    }

    /// Returns a client certificate from a PKCS#12 file, as ``pkcs12(_:passphrase:)`` does from data.
    ///
    /// The file is read when a session is made with it.
    public static func pkcs12File(_ url: URL, passphrase: String? = nil) -> Self {
        Self(.pkcs12(.file(url)), passphrase)
    }

    /// The form of the client certificate, without secrets.
    public var description: String {
        switch storage {
        case .pem: "a PEM client certificate"
        case .pkcs12: "a PKCS#12 client certificate"
        }
    }
}
