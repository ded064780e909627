import Ferry
import FerrySession
import Testing

extension OpenSSLTests {
    /// Servers with only one version of TLS, and their errors about a client's certificate.
    @Suite("TLS versions and alerts")
    final class TLSVersionTests {
        private let shop: CertificateShop
        private let root: CertificateShop.Issued
        private let leaf: CertificateShop.Issued

        init() throws {
            shop = try CertificateShop()
            root = try shop.issue("root", extensions: ["basicConstraints=critical,CA:TRUE"])
            // The cipher suites of TLS 1.0 that the client's security level allows are those of RSA key exchange.
            leaf = try shop.issue("leaf", key: "RSA:2048", extensions: ["subjectAltName=DNS:localhost"], by: root)
        }

        deinit { shop.remove() }

        private func session(_ change: (inout TLSOptions) -> Void = { _ in }) -> CurlSession {
            var options = CurlSession.Options()
            options.tls.certificateAuthorities = .only([.pemFile(root.certificate)])
            // Otherwise newer versions of OpenSSL refuse TLS 1.0 themselves.
            options.tls.cipherSuites = ["DEFAULT@SECLEVEL=0"]
            change(&options.tls)
            return CurlSession(configuration: .ephemeral, options: options)
        }

        private func failure(_ session: CurlSession, _ url: URL) async -> (URLError?, CurlSessionError?) {
            let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
            return (error, error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)
        }

        @Test("TLS 1.0 and 1.1 are refused unless an option allows them", arguments: ["-tls1", "-tls1_1"])
        func old(version: String) async throws {
            let more = [version, "-cipher", "AES128-SHA:@SECLEVEL=0"]
            let server = try OpenSSLServer(certificate: leaf.certificate, key: leaf.key, more)
            let (error, cause) = await failure(session(), server.url())
            #expect(error?.code == .secureConnectionFailed && cause?.code == .tlsVersion)
            _ = try await session { $0.minimumVersion = .tls10 }.data(from: server.url())
            _ = try await session { $0.maximumVersion = version == "-tls1" ? .tls10 : .tls11 }.data(from: server.url())
        }

        @Test("A client's certificate that has expired is not taken for the server's", arguments: [false, true])
        func expired(disablesVerification: Bool) async throws {
            let own = try shop.issue("own", isExpired: true, extensions: ["extendedKeyUsage=clientAuth"], by: root)
            let more = ["-tls1_2", "-Verify", "1", "-verify_return_error", "-CAfile", root.certificate.path]
            let server = try OpenSSLServer(certificate: leaf.certificate, key: leaf.key, more)
            let session = session {
                $0.clientCertificate = .pemFiles(certificate: own.certificate, key: own.key)
                $0.dangerouslyDisablesVerification = disablesVerification
            }
            let (error, cause) = await failure(session, server.url())
            #expect(error?.code == .clientCertificateRejected && cause?.code == .clientCertificateRejected)
            #expect(cause?.message.contains("expired") == true, "\(String(describing: cause))")
        }
    }
}
