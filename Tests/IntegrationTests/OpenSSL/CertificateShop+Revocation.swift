import Ferry

/// Revocation lists and OCSP responses, as the `openssl` command makes them.
extension CertificateShop {
    /// Makes a list of the certificates that an authority has revoked.
    func revocationList(of issuer: Issued, revoked: [Issued], isExpired: Bool = false) throws -> URL {
        let name = "\(UUID().uuidString).crl"
        try writeIndex(revoked.map { ($0, true) })
        let configuration = """
            [ca]
            default_ca = lists
            [lists]
            database = index.txt
            default_md = sha256
            """
        try Data(configuration.utf8).write(to: file("lists.cnf"))
        let dates =
            isExpired ? ["-crl_lastupdate", "200101000000Z", "-crl_nextupdate", "200201000000Z"] : ["-crldays", "1"]
        try openssl(
            ["ca", "-gencrl", "-config", "lists.cnf", "-cert", issuer.certificate.path]
                + ["-keyfile", issuer.key.path, "-out", name] + dates
        )
        return file(name)
    }

    /// Makes an OCSP response about a certificate.
    func statusResponse(
        of issuer: Issued,
        about subject: Issued,
        isRevoked: Bool = false,
        signer: Issued? = nil
    ) throws -> URL {
        let name = "\(UUID().uuidString).der"
        try writeIndex([(subject, isRevoked)])
        try openssl(
            ["ocsp", "-issuer", issuer.certificate.path, "-cert", subject.certificate.path, "-no_nonce"]
                + ["-reqout", "request.der"]
        )
        try openssl(
            ["ocsp", "-index", "index.txt", "-CA", issuer.certificate.path, "-ndays", "1", "-reqin", "request.der"]
                + ["-rsigner", (signer ?? issuer).certificate.path, "-rkey", (signer ?? issuer).key.path]
                + ["-respout", name]
        )
        return file(name)
    }

    /// Writes the database of `openssl ca` (a line for each certificate, with tabs).
    private func writeIndex(_ entries: [(certificate: Issued, isRevoked: Bool)]) throws {
        let lines = entries.map { entry in
            let state = entry.isRevoked ? ["R", "491231235959Z", "200101000000Z"] : ["V", "491231235959Z", ""]
            return (state + [entry.certificate.serial, "unknown", "/CN=x"]).joined(separator: "\t") + "\n"
        }
        try Data(lines.joined().utf8).write(to: file("index.txt"))
    }
}
