import FerrySession

extension SecurityPolicy {
    /// Reads the certificates in a folder from all files that end in `.cer`, `.crt`, `.pem` or `.der`.
    ///
    /// A file contains one certificate in DER form, or one or more in PEM form; other PEM blocks, such as keys, are
    /// skipped.
    ///
    /// AFNetworking: `certificatesInBundle:`, which reads only `.cer` files.
    ///
    /// - Parameter folder: The folder; its subfolders are not searched.
    /// - Returns: The certificates in DER form.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` if the folder or a file cannot be
    ///   read, or a file has no complete certificate: a pin that was silently skipped would lock the program out.
    public static func certificates(inFolder folder: URL) throws(NetworkError) -> Set<Data> {
        do throws(CurlSessionError) {
            return Set(try CertificateFile.certificates(inFolder: folder))
        } catch {
            throw NetworkError(.invalidSecurityPolicy, message: error.message, underlyingError: error)
        }
    }

    /// Reads the certificates among the resources of a bundle, without subfolders.
    ///
    /// - Parameter bundle: The bundle.
    /// - Returns: The certificates in DER form.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy``, as for a folder.
    public static func certificates(in bundle: Bundle) throws(NetworkError) -> Set<Data> {
        try certificates(inFolder: bundle.resourceURL ?? bundle.bundleURL)
    }

    /// Reads the certificates of a file, which contains one in DER form, or one or more in PEM form.
    ///
    /// - Parameter file: The file.
    /// - Returns: The certificates in DER form.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` if the file cannot be read or has no
    ///   complete certificate.
    public static func certificates(inFile file: URL) throws(NetworkError) -> Set<Data> {
        do throws(CurlSessionError) {
            return Set(try CertificateFile.certificates(in: file))
        } catch {
            throw NetworkError(.invalidSecurityPolicy, message: error.message, underlyingError: error)
        }
    }

    /// Creates a policy that pins the certificates of a folder.
    ///
    /// - Parameters:
    ///   - pinningMode: The part of the certificate that is pinned.
    ///   - folder: The folder of certificates.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy``, as for
    ///   ``certificates(inFolder:)``.
    public init(pinningMode: PinningMode, certificatesInFolder folder: URL) throws(NetworkError) {
        self.init(pinningMode: pinningMode, pinnedCertificates: try Self.certificates(inFolder: folder))
    }

    /// Creates a policy that pins the certificates of a bundle.
    ///
    /// AFNetworking: `policyWithPinningMode:`.
    ///
    /// - Parameters:
    ///   - pinningMode: The part of the certificate that is pinned.
    ///   - bundle: The bundle.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy``, as for ``certificates(in:)``.
    public init(pinningMode: PinningMode, certificatesIn bundle: Bundle) throws(NetworkError) {
        self.init(pinningMode: pinningMode, pinnedCertificates: try Self.certificates(in: bundle))
    }
}
