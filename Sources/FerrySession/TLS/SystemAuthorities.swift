/// The location of the system's certificate authorities.
enum SystemAuthorities {
    private static let wellKnown = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// Returns the file that libcurl itself reads, or else the first readable one of the usual files of distributions.
    static func bundle(_ runtime: CurlRuntime?) -> URL? {
        let files = (runtime?.authorityFile.map { [$0] } ?? []) + wellKnown
        return files.first { FileManager.default.isReadableFile(atPath: $0) }.map { URL(fileURLWithPath: $0) }
    }
}
