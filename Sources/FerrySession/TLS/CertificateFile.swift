/// Functions that read certificates from files in DER or PEM form.
package enum CertificateFile {
    /// The extensions of files that are read from a folder.
    package static let extensions: Set<String> = ["cer", "crt", "pem", "der"]

    /// Returns all certificates of a file: one in DER, or one or more as PEM text (RFC 7468).
    package static func certificates(in url: URL) throws(CurlSessionError) -> [Data] {
        let what = "The file of certificates \(url.lastPathComponent)"
        return try certificates(in: try PEM.contents(of: url, what: what), what: what)
    }

    /// Returns all certificates in data: one in DER, or one or more as PEM text.
    package static func certificates(in data: Data, what: String) throws(CurlSessionError) -> [Data] {
        if DERReader.isCertificate(data) { return [data] }
        return try certificates(inPEM: data, what: what)
    }

    /// Returns all certificates of PEM text; skips other blocks, such as keys.
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

    /// Returns all certificates of the files in a folder, without its subfolders.
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
