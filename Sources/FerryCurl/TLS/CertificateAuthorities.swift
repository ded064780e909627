/// The certificate authorities that a session trusts.
public enum CertificateAuthorities: Sendable, Hashable {
    /// The authorities of the system.
    case system
    /// The authorities of the system, and the given ones.
    case systemAnd([CertificateSource])
    /// Only the given authorities.
    case only([CertificateSource])

    private static let wellKnownFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// Returns the file that libcurl itself reads, or else the first readable one of the usual files of distributions.
    package static func systemFile(_ runtime: CurlRuntime?) -> URL? {
        ([runtime?.authorityFile].compactMap { $0 } + wellKnownFiles)
            .first { FileManager.default.isReadableFile(atPath: $0) }
            .map { URL(fileURLWithPath: $0) }
    }

    /// Whether libcurl can do without the system's folder of authorities.
    ///
    /// With a folder, libcurl parses the file again for each connection, which takes 30 milliseconds. Without one,
    /// libcurl from 7.87 on does so once a day; from 8.21 on, no folder means the system's folder.
    static let fileSuffices: Bool = {
        guard let runtime = try? CurlRuntime.current(), (0x07_57_00..<0x08_15_00).contains(runtime.versionNumber),
            let file = runtime.authorityFile
        else { return false }
        return has(allOf: runtime.authorityFolder, inFile: file)
    }()

    /// Returns whether a file has the certificates of a folder, in which they have names such as `4bfab552.0`.
    static func has(allOf folder: String?, inFile file: String) -> Bool {
        let inFile = certificates(in: file)
        let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        return !inFile.isEmpty
            && names.allSatisfy { name in
                let parts = name.split(separator: ".", omittingEmptySubsequences: false)
                let isHash = parts.count == 2 && parts[0].count == 8 && Int(parts[1]) != nil
                return !isHash || certificates(in: "\(folder ?? "")/\(name)").isSubset(of: inFile)
            }
    }

    private static func certificates(in file: String) -> Set<String> {
        // There may be other text beside the certificates, in any encoding.
        let text = String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data(), as: UTF8.self)
        let blocks = text.components(separatedBy: "-----BEGIN ").dropFirst()
        return Set(blocks.map { $0.components(separatedBy: "-----END")[0] })
    }
}

/// A source of certificate authorities.
public enum CertificateSource: Sendable, Hashable {
    /// A file with one or more certificates as PEM text (RFC 7468).
    case pemFile(URL)
    /// One or more certificates as PEM text (RFC 7468).
    case pem(Data)
    /// One certificate in DER.
    case der(Data)

    /// Returns the certificates in DER; throws `invalidTLSOptions` if a file or certificate cannot be read.
    package func certificates() throws(CurlSessionError) -> [Data] {
        switch self {
        case .pemFile(let url):
            let what = "The file of certificate authorities"
            return try CertificateFile.certificates(
                inPEM: try PEM.contents(of: url, what: what),
                what: "\(what) \(url.path)"
            )
        case .pem(let text):
            return try CertificateFile.certificates(inPEM: text, what: "The PEM text of certificate authorities")
        case .der(let certificate):
            guard X509Certificate.isReadable(certificate) else {
                throw .invalidTLS("The certificate authority's DER data is not a certificate")
            }
            return [certificate]
        }
    }
}
