import Ferry
import TestSupport
import Testing

extension NginxTests {
    @Suite("Client certificates")
    struct ClientCertificateTests {
        let checks: TLSChecks
        let server: NginxServer

        init() throws {
            checks = try TLSChecks()
            server = checks.server
        }

        private func showing(_ certificate: ClientCertificate?) -> CurlSession {
            .trusting(server) { $0.tls.clientCertificate = certificate }
        }

        private var everyKind: [ClientCertificate] {
            get throws {
                let files = server.certificates
                let (certificate, key) = (try Data(contentsOf: files.client), try Data(contentsOf: files.clientKey))
                let secret = ThrowawayCertificates.passphrase
                return [
                    .pemFiles(certificate: files.client, key: files.clientKey),
                    .pem(certificate: certificate, key: key),
                    .pem(certificate: certificate + key),
                    .pemFiles(certificate: files.client, key: files.encryptedClientKey, passphrase: secret),
                    .pkcs12File(files.clientPKCS12, passphrase: secret),
                    .pkcs12(try Data(contentsOf: files.clientPKCS12), passphrase: secret),
                    .pkcs12(try withIndefiniteLength(files.clientPKCS12), passphrase: secret),
                ]
            }
        }

        /// Returns a DER file with an indefinite outer length (X.690, section 8.1.3.6), as some programs write PKCS#12.
        private func withIndefiniteLength(_ file: URL) throws -> Data {
            let data = try Data(contentsOf: file)
            try #require(data.starts(with: [0x30, 0x82]))
            return Data([0x30, 0x80]) + data.dropFirst(4) + Data([0, 0])
        }

        @Test("A client certificate is presented to a server that requires one, in every supported form")
        func shown() async throws {
            for certificate in try everyKind {
                let (data, response) = try await showing(certificate).fetch(server.url(.clientCertificate, "client"))
                #expect(response.statusCode == 200)
                #expect(String(decoding: data, as: UTF8.self) == "CN=Ferry tests client")
            }
        }

        @Test("A redirect to another origin presents the client certificate only if its host is listed")
        func redirected() async throws {
            let files = server.certificates
            let url = server.url(.tls, "hop/client")
            func fetch(_ hosts: [String]) async throws -> (String, Int) {
                let session = CurlSession.trusting(server) { options in
                    options.tls.clientCertificate = .pemFiles(certificate: files.client, key: files.clientKey)
                    options.tls.clientCertificateHosts = hosts
                }
                let (data, response) = try await session.fetch(url)
                return (String(decoding: data, as: UTF8.self), response.statusCode)
            }
            #expect(try await fetch([]).1 == 400)
            #expect(try await fetch(["other.example", "*.localhost"]).1 == 400)
            let (subject, status) = try await fetch(["LOCALHOST"])
            #expect(status == 200 && subject == "CN=Ferry tests client")
        }

        @Test("An invalid host in the list fails every https task of the session")
        func impossibleHost() async throws {
            let session = CurlSession.trusting(server) { $0.tls.clientCertificateHosts = ["localhost/path"] }
            let (_, cause) = try await checks.failure(session, server.url(.tls, "small"))
            #expect(cause.code == .invalidTLSOptions)
        }

        @Test("Without a client certificate nginx responds with 400")
        func missing() async throws {
            let (_, response) = try await showing(nil).fetch(server.url(.clientCertificate, "small"))
            #expect(response.statusCode == 400)
        }

        @Test("A wrong passphrase is reported as such", arguments: ["wrong", nil])
        func wrongPassphrase(passphrase: String?) async throws {
            let files = server.certificates
            let kinds: [ClientCertificate] = [
                .pemFiles(certificate: files.client, key: files.encryptedClientKey, passphrase: passphrase),
                .pkcs12File(files.clientPKCS12, passphrase: passphrase),
            ]
            for certificate in kinds {
                let (_, cause) = try await checks.failure(
                    showing(certificate),
                    server.url(.clientCertificate, "small")
                )
                #expect(cause.code == .wrongPassphrase, "\(cause)")
            }
        }

        @Test("Damaged and mismatched certificates are distinguished from a wrong passphrase")
        func unusable() async throws {
            let files = server.certificates
            let certificate = try Data(contentsOf: files.client)
            let key = try Data(contentsOf: files.clientKey)
            var damaged = try Data(contentsOf: files.clientPKCS12)
            damaged = damaged.prefix(40)
            let kinds: [ClientCertificate] = [
                .pemFiles(certificate: files.client, key: files.key(.good)),
                .pem(certificate: certificate),
                .pem(certificate: key, key: key),
                .pem(certificate: certificate.prefix(200), key: key),
                .pemFiles(certificate: files.folder.appendingPathComponent("none.pem")),
                .pkcs12(Data("no PKCS#12".utf8)),
                .pkcs12(damaged, passphrase: ThrowawayCertificates.passphrase),
            ]
            for (index, certificate) in kinds.enumerated() {
                let (url, mark) = checks.uniqueURL(.clientCertificate)
                let (_, cause) = try await checks.failure(showing(certificate), url)
                #expect(cause.code == .clientCertificateUnusable, "\(index): \(cause)")
                #expect(try await !checks.hasLogged(mark))
            }
        }

        @Test("A server that ends the handshake for lack of a client certificate is reported as such")
        func required() async throws {
            let files = server.certificates
            let script = #"""
                openssl s_server -accept 127.0.0.1:0 -cert "$1" -key "$2" -CAfile "$3" -Verify 1 -verify_return_error -www &
                read -r verdict
                kill $!; wait $!
                """#
            let paths = [files.certificate(.good), files.key(.good), files.authority].map(\.path)
            let output = files.folder.appendingPathComponent("s_server.txt")
            let process = try Subprocess("sh", ["-c", script, "sh"] + paths, output: output)
            var found: Int?
            try await eventually("the port of openssl s_server") {
                let text = try String(contentsOf: output, encoding: .utf8)
                let line = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
                found = line?.split(separator: ":").last.flatMap { Int($0) }
                return found != nil
            }
            let port = try #require(found)
            let url = try #require(URL(string: "https://localhost:\(port)/"))
            let (code, cause) = try await checks.failure(showing(nil), url)
            #expect(code == .clientCertificateRequired, "\(cause)")
            #expect(cause.code == .clientCertificateRequired)
            let stranger = ClientCertificate.pemFiles(
                certificate: files.certificate(.unknownAuthority),
                key: files.key(.unknownAuthority)
            )
            let (rejection, reason) = try await checks.failure(showing(stranger), url)
            #expect(rejection == .clientCertificateRejected, "\(reason)")
            #expect(reason.code == .clientCertificateRejected)
            let client = ClientCertificate.pemFiles(certificate: files.client, key: files.clientKey)
            let (_, response) = try await showing(client).fetch(url)
            #expect(response.statusCode == 200)
            try process.finish()
        }
    }
}
