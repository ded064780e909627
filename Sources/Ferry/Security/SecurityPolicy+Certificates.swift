extension SecurityPolicy {
    /// Reads the certificates in a folder from all files that end in `.cer`, `.crt`, `.pem` or `.der`.
    ///
    /// A file contains one certificate in DER form, or one or more in PEM form; other PEM blocks, such as keys, are
    /// skipped.
    ///
    /// AFNetworking: `certificatesInBundle:`, which reads only `.cer` files.
    ///
    /// - Parameter directory: The folder; its subfolders are not searched.
    /// - Returns: The certificates in DER form.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/invalidSecurityPolicy`` if the folder or a file cannot be
    ///   read, a file has no complete certificate, or there is no certificate at all: a pin that was silently skipped
    ///   would lock the program out.
    public static func certificates(inDirectory directory: URL) throws(NetworkError) -> Set<Data> {
        let found = try readingCertificates { () throws(CurlSessionError) in
            try CertificateFile.certificates(inFolder: directory)
        }
        guard found.isEmpty else { return found }
        let text = "There is no certificate (.cer, .crt, .pem, .der) in \(directory.path)"
        throw NetworkError(.invalidSecurityPolicy, message: text)
    }

    /// Reads the certificates among the resources of a bundle, as ``certificates(inDirectory:)`` does.
    public static func certificates(in bundle: Bundle) throws(NetworkError) -> Set<Data> {
        try certificates(inDirectory: bundle.resourceURL ?? bundle.bundleURL)
    }

    /// Reads the certificates of a file in DER or PEM form, as ``certificates(inDirectory:)`` does for each file.
    public static func certificates(inFile file: URL) throws(NetworkError) -> Set<Data> {
        try readingCertificates { () throws(CurlSessionError) in try CertificateFile.certificates(in: file) }
    }

    private static func readingCertificates(
        _ read: () throws(CurlSessionError) -> [Data]
    ) throws(NetworkError) -> Set<Data> {
        do {
            return Set(try read())
        } catch {
            throw NetworkError(.invalidSecurityPolicy, message: error.message, underlyingError: error)
        }
    }

    /// Creates a policy that pins the certificates of a folder, as ``certificates(inDirectory:)`` reads them.
    public init(pinningMode: PinningMode, certificatesInDirectory directory: URL) throws(NetworkError) {
        self.init(pinningMode: pinningMode, pinnedCertificates: try Self.certificates(inDirectory: directory))
    }

    /// Creates a policy that pins the certificates of a bundle; AFNetworking: `policyWithPinningMode:`.
    public init(pinningMode: PinningMode, certificatesIn bundle: Bundle) throws(NetworkError) {
        self.init(pinningMode: pinningMode, pinnedCertificates: try Self.certificates(in: bundle))
    }
}
