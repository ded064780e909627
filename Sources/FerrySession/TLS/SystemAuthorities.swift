/// Where the system keeps the certificates of the authorities it trusts.
enum SystemAuthorities {
    private static let wellKnown = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// The file that libcurl itself reads, or else one of the distributions' usual ones.
    static func bundle(_ runtime: CurlRuntime?) -> URL? {
        let files = (runtime?.authorityFile.map { [$0] } ?? []) + wellKnown
        return files.first { FileManager.default.isReadableFile(atPath: $0) }.map { URL(fileURLWithPath: $0) }
    }
}
