import Ferry
import FerrySession

/// Certificates that the `openssl` command issues in a folder, each below another one or self-signed.
struct CertificateShop: Sendable {
    struct Issued: Sendable {
        var certificate: URL
        var key: URL
        /// The serial number in hexadecimal.
        var serial: String
        /// The certificate in DER.
        var data: Data { get throws { try CertificateFile.certificates(in: certificate).first ?? Data() } }
    }

    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-shop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Issues a certificate.
    ///
    /// - Parameters:
    ///   - name: The name of its files, and its common name unless `subject` differs.
    ///   - subject: The common name.
    ///   - key: The key's algorithm, such as `RSA:1024` or `EC:prime192v1`, or the file of an existing key.
    ///   - digest: The digest of the issuer's signature.
    ///   - isExpired: Whether it is no longer valid.
    ///   - extensions: Its extensions, in the notation of `openssl`.
    ///   - issuer: The issuer, or nil for a self-signed certificate.
    /// - Returns: The certificate and its key.
    /// - Throws: The output of `openssl` if it fails.
    func issue(
        _ name: String,
        subject: String? = nil,
        key: String = "EC:prime256v1",
        digest: String = "sha256",
        isExpired: Bool = false,
        extensions: [String],
        by issuer: Issued? = nil
    ) throws -> Issued {
        // The number has eight digits, as in the database of `openssl ca`.
        let serial = String(UInt32.random(in: 0x1000_0000...0x7FFF_FFFF), radix: 16, uppercase: true)
        let issued = Issued(certificate: file("\(name).pem"), key: try self.key(name, key), serial: serial)
        let subject = "/CN=\(subject ?? name)"
        try Data(extensions.joined(separator: "\n").utf8).write(to: file("\(name).ext"))
        try openssl(["req", "-new", "-sha256", "-key", issued.key.path, "-subj", subject, "-out", "\(name).csr"])
        let signing: [String] =
            if let issuer {
                ["-CA", issuer.certificate.path, "-CAkey", issuer.key.path]
            } else {
                ["-signkey", issued.key.path]
            }
        try openssl(
            ["x509", "-req", "-in", "\(name).csr", "-set_serial", "0x\(serial)", "-\(digest)"]
                + ["-extfile", "\(name).ext", "-out", "\(name).pem"] + signing
                + (isExpired ? ThrowawayCertificates.expired : ["-days", "2"])
        )
        return issued
    }

    /// Writes certificates into one file.
    func bundle(_ name: String, _ certificates: [Issued]) throws -> URL {
        let texts = try certificates.map { try Data(contentsOf: $0.certificate) }
        try Data(texts.joined()).write(to: file(name))
        return file(name)
    }

    /// Returns the verdict of `openssl verify` at a security level, with the root as the only authority.
    func verify(_ leaf: Issued, chain: URL, root: Issued, level: Int = 2) -> Bool {
        let arguments = [
            "verify", "-no-CAfile", "-no-CApath", "-no-CAstore", "-partial_chain", "-purpose", "sslserver",
            "-auth_level", "\(level)", "-verify_hostname", "localhost", "-trusted", root.certificate.path,
            "-untrusted", chain.path, leaf.certificate.path,
        ]
        return (try? Subprocess.run("openssl", arguments)) != nil
    }

    func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func openssl(_ arguments: [String]) throws { try ThrowawayCertificates.openssl(arguments, in: folder) }

    private func key(_ name: String, _ kind: String) throws -> URL {
        if kind.hasPrefix("/") { return URL(fileURLWithPath: kind) }
        let parts = kind.split(separator: ":").map(String.init)
        let option = parts[0] == "RSA" ? "rsa_keygen_bits:\(parts[1])" : "ec_paramgen_curve:\(parts[1])"
        try openssl(["genpkey", "-algorithm", parts[0], "-pkeyopt", option, "-out", "\(name).key"])
        return file("\(name).key")
    }
}
