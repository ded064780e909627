/// Certificates from files, whatever their form.
package enum CertificateFile {
    /// The endings of files that hold certificates.
    package static let extensions: Set<String> = ["cer", "crt", "pem", "der"]

    /// All certificates of a file: one in DER, or one and more as PEM text (RFC 7468).
    package static func certificates(in url: URL) throws(CurlSessionError) -> [Data] {
        let what = "The file of certificates \(url.lastPathComponent)"
        return try certificates(in: try PEM.contents(of: url, what: what), what: what)
    }

    /// All certificates of some bytes: one in DER, or one and more as PEM text.
    package static func certificates(in data: Data, what: String) throws(CurlSessionError) -> [Data] {
        if DERReader.isCertificate(data) { return [data] }
        return try certificates(inPEM: data, what: what)
    }

    /// All certificates of PEM text; keys beside them are passed over.
    static func certificates(inPEM data: Data, what: String) throws(CurlSessionError) -> [Data] {
        let certificates = try PEM.blocks(in: data, what: what)
            .filter { PEM.certificateLabels.contains($0.label) }
            .map(\.content)
        guard !certificates.isEmpty else { throw CurlSessionError(.invalidTLSOptions, "\(what) has no certificate") }
        guard certificates.allSatisfy(DERReader.isCertificate) else {
            throw CurlSessionError(.invalidTLSOptions, "\(what) has a damaged certificate")
        }
        return certificates
    }

    /// All certificates of the files in a folder, not of the folders inside it.
    package static func certificates(inFolder folder: URL) throws(CurlSessionError) -> [Data] {
        let files: [URL]
        do {
            files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        } catch {
            throw CurlSessionError(.invalidTLSOptions, "The folder of certificates cannot be read: \(folder.path)")
        }
        var found: [Data] = []
        for file in files.sorted(by: { $0.path < $1.path })
        where extensions.contains(file.pathExtension.lowercased()) {
            found += try certificates(in: file)
        }
        return found
    }
}
