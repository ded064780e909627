/// A source of certificate authorities.
public enum CertificateSource: Sendable, Hashable {
    /// A file with one or more certificates as PEM text (RFC 7468).
    case pemFile(URL)

    /// One or more certificates as PEM text (RFC 7468).
    case pem(Data)

    /// One certificate in DER.
    case der(Data)

    /// Returns the certificates in DER.
    ///
    /// - Throws: `CurlSessionError` with the code `invalidTLSOptions` if a file cannot be read or a certificate is
    ///   invalid.
    func certificates() throws(CurlSessionError) -> [Data] {
        let data: Data
        let name: String
        switch self {
        case .pemFile(let url):
            data = try PEM.contents(of: url, what: "The file of certificate authorities")
            name = "The file of certificate authorities \(url.path)"
        case .pem(let text):
            data = text
            name = "The PEM text of certificate authorities"
        case .der(let certificate):
            guard DERReader.isCertificate(certificate) else {
                throw CurlSessionError(.invalidTLSOptions, "The certificate authority's DER data is not a certificate")
            }
            return [certificate]
        }
        return try CertificateFile.certificates(inPEM: data, what: name)
    }
}
