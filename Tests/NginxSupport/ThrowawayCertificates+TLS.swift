import Ferry

/// An intermediate authority, a client certificate, and a certificate that is not yet valid.
extension ThrowawayCertificates {
    package static let passphrase = "open sesame"

    package var intermediate: URL { folder.appendingPathComponent("intermediate.pem") }
    package var client: URL { folder.appendingPathComponent("client.pem") }
    package var clientKey: URL { folder.appendingPathComponent("client.key") }
    /// The client's key, encrypted with the passphrase.
    package var encryptedClientKey: URL { folder.appendingPathComponent("client-encrypted.key") }
    /// The client's certificate and key, encrypted with the passphrase.
    package var clientPKCS12: URL { folder.appendingPathComponent("client.p12") }

    /// Returns the pin of a certificate, as the `openssl` command computes it.
    package func pin(_ kind: Kind) throws -> PublicKeyPin {
        let script = #"""
            set -e
            openssl x509 -in "$1" -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
            """#
        let text = try Subprocess.output(of: "sh", ["-c", script, "sh", certificate(kind).path])
        return PublicKeyPin(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    package func makeIntermediate() throws {
        try Data("basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n".utf8)
            .write(to: folder.appendingPathComponent("intermediate.ext"))
        try sign(
            "intermediate",
            subject: "/CN=Ferry tests intermediate",
            by: "authority",
            ["-extfile", "intermediate.ext"]
        )
    }

    package func makeClient() throws {
        try sign("client", subject: "/CN=Ferry tests client", by: "authority", [])
        let secret = "pass:\(Self.passphrase)"
        try Self.openssl(
            ["pkey", "-in", "client.key", "-aes256", "-passout", secret, "-out", "client-encrypted.key"],
            in: folder
        )
        try Self.openssl(
            [
                "pkcs12", "-export", "-in", "client.pem", "-inkey", "client.key", "-passout", secret, "-out",
                "client.p12",
            ],
            in: folder
        )
    }

    private func sign(_ name: String, subject: String, by authority: String, _ more: [String]) throws {
        try Self.openssl(
            ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", subject]
                + ["-keyout", "\(name).key", "-out", "\(name).csr"],
            in: folder
        )
        try Self.openssl(
            ["x509", "-req", "-in", "\(name).csr", "-CA", "\(authority).pem", "-CAkey", "\(authority).key"]
                + ["-CAcreateserial", "-days", "2", "-out", "\(name).pem"] + more,
            in: folder
        )
    }

    /// Signs a certificate whose validity starts in the future, which only `openssl ca` can do.
    package func signForLater(_ name: String) throws {
        let configuration = """
            [ca]
            default_ca = later
            [later]
            database = later.txt
            serial = later.srl
            new_certs_dir = .
            default_md = sha256
            policy = anything
            x509_extensions = hosts
            [anything]
            commonName = supplied
            [hosts]
            subjectAltName = DNS:localhost,IP:127.0.0.1
            """
        try Data(configuration.utf8).write(to: folder.appendingPathComponent("later.cnf"))
        try Data().write(to: folder.appendingPathComponent("later.txt"))
        try Data("1000\n".utf8).write(to: folder.appendingPathComponent("later.srl"))
        try Self.openssl(
            ["ca", "-batch", "-notext", "-config", "later.cnf", "-in", "\(name).csr", "-out", "\(name).pem"]
                + ["-cert", "authority.pem", "-keyfile", "authority.key"]
                + ["-startdate", "20900101000000Z", "-enddate", "20910101000000Z"],
            in: folder
        )
    }
}
