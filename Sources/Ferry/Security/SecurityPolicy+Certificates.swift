import FerrySession

extension SecurityPolicy {
    /// Reads the certificates in a folder: all files that end in `.cer`, `.crt`, `.pem` or `.der`.
    ///
    /// A file has one certificate in DER, or one and more as PEM text; other PEM blocks, such as keys, are passed over.
    ///
    /// AFNetworking: `certificatesInBundle:`, which reads `.cer` alone.
    ///
    /// - Parameter folder: The folder; those inside it are not looked at.
    /// - Returns: The certificates in DER form.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` if the folder or a file cannot be read,
    ///   or a file has no whole certificate: a pin that is left out unnoticed would lock the program out.
    public static func certificates(inFolder folder: URL) throws(NetworkError) -> Set<Data> {
        do throws(CurlSessionError) {
            return Set(try CertificateFile.certificates(inFolder: folder))
        } catch {
            throw NetworkError(.invalidSecurityPolicy, message: error.message, underlyingError: error)
        }
    }

    /// Reads the certificates among the resources of a bundle, not of its subfolders.
    ///
    /// - Parameter bundle: The bundle.
    /// - Returns: The certificates in DER form.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy``.
    public static func certificates(in bundle: Bundle) throws(NetworkError) -> Set<Data> {
        try certificates(inFolder: bundle.resourceURL ?? bundle.bundleURL)
    }

    /// Reads the certificates of one file: one in DER, or one and more as PEM text.
    ///
    /// - Parameter file: The file.
    /// - Returns: The certificates in DER form.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy``.
    public static func certificates(inFile file: URL) throws(NetworkError) -> Set<Data> {
        do throws(CurlSessionError) {
            return Set(try CertificateFile.certificates(in: file))
        } catch {
            throw NetworkError(.invalidSecurityPolicy, message: error.message, underlyingError: error)
        }
    }

    /// Makes a policy that pins the certificates of a folder.
    ///
    /// - Parameters:
    ///   - pinningMode: What a server is held to.
    ///   - folder: The folder of certificates.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy``.
    public init(pinningMode: PinningMode, certificatesInFolder folder: URL) throws(NetworkError) {
        self.init(pinningMode: pinningMode, pinnedCertificates: try Self.certificates(inFolder: folder))
    }

    /// Makes a policy that pins the certificates of a bundle.
    ///
    /// AFNetworking: `policyWithPinningMode:`.
    ///
    /// - Parameters:
    ///   - pinningMode: What a server is held to.
    ///   - bundle: The bundle.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy``.
    public init(pinningMode: PinningMode, certificatesIn bundle: Bundle) throws(NetworkError) {
        self.init(pinningMode: pinningMode, pinnedCertificates: try Self.certificates(in: bundle))
    }
}
