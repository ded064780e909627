import Ferry
import FerrySession
import ProxySupport
import Testing

extension OpenSSLTests {
    /// One rule for sessions with and without options and for policies: a common name never names a host (RFC 9525).
    @Suite("Common names")
    final class CommonNameTests {
        private let shop: CertificateShop
        private let root: CertificateShop.Issued

        init() throws {
            shop = try CertificateShop()
            root = try shop.issue("root", extensions: ["basicConstraints=critical,CA:TRUE"])
        }

        deinit { shop.remove() }

        private func serve(_ issued: CertificateShop.Issued) throws -> OpenSSLServer {
            try OpenSSLServer(certificate: issued.certificate, key: issued.key)
        }

        /// Returns the error of a request, or nil.
        private func failure(_ session: CurlSession, _ url: URL) async throws -> CurlSessionError? {
            do {
                _ = try await session.fetch(url)
                return nil
            } catch let error as URLError {
                return try #require(error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)
            }
        }

        @Test(
            "A certificate that has no host in its subject alternative name is refused, whatever its common name",
            arguments: [
                ("localhost", "subjectKeyIdentifier=hash"), ("127.0.0.1", "subjectKeyIdentifier=hash"),
                ("localhost", "subjectAltName=email:a@localhost,URI:https://localhost/"),
            ]
        )
        func refused(host: String, extensions: String) async throws {
            let server = try serve(try shop.issue("leaf", subject: host, extensions: [extensions], by: root))
            let url = server.url(host: host)
            var sessions = [CurlSession.trusting(root.certificate)]
            sessions.append(
                .trusting(root.certificate) { [root] in
                    $0.tls.certificateAuthorities = .systemAnd([.pemFile(root.certificate)])
                }
            )
            sessions.append(.trusting(root.certificate) { $0.tls.trustEvaluator = { _ in .accept } })
            sessions.append(.trusting(root.certificate))
            sessions.last?.trustPolicy = SecurityPolicy(
                pinningMode: .certificate,
                pinnedCertificates: [try root.data]
            )
            for session in sessions {
                let cause = try #require(try await failure(session, url))
                #expect(cause.code == .certificateHostMismatch)
                #expect(cause.message.contains("names no host"))
                #expect(cause.certificates.count == 1)
            }
            // libcurl itself still verifies the chain of a session that does not validate hosts.
            let unvalidated = CurlSession.trusting(root.certificate)
            unvalidated.trustPolicy = SecurityPolicy(validatesDomainName: false)
            #expect(try await failure(unvalidated, url) == nil)
        }

        @Test("Every kind of task refuses it", arguments: ["data", "download", "upload", "bytes"])
        func tasks(kind: String) async throws {
            let server = try serve(
                try shop.issue("leaf", subject: "localhost", extensions: ["subjectKeyIdentifier=hash"], by: root)
            )
            let session = CurlSession.trusting(root.certificate)
            let request = URLRequest(url: server.url())
            let error = await #expect(throws: URLError.self) {
                switch kind {
                case "data": _ = try await session.data(for: request)
                case "download": _ = try await session.download(for: request)
                case "upload": _ = try await session.upload(for: request, from: Data("body".utf8))
                default: _ = try await session.bytes(for: request)
                }
            }
            #expect(error?.code == .serverCertificateUntrusted)
        }

        @Test("A subject alternative name counts, with another common name and without one")
        func accepted() async throws {
            let extensions = ["subjectAltName=DNS:localhost,IP:127.0.0.1"]
            let server = try serve(try shop.issue("leaf", subject: "other", extensions: extensions, by: root))
            let session = CurlSession.trusting(root.certificate)
            #expect(try await failure(session, server.url()) == nil)
            #expect(try await failure(session, server.url(host: "127.0.0.1")) == nil)
        }

        @Test("A proxy over TLS is not named by a common name either", arguments: ["http", "https"])
        func proxies(scheme: String) async throws {
            let issued = try shop.issue(
                "leaf",
                subject: "localhost",
                extensions: ["subjectKeyIdentifier=hash"],
                by: root
            )
            let server = try serve(issued)
            let session = CurlSession.trusting(root.certificate) {
                $0.proxy = .https("localhost", port: server.port)
            }
            // The result must not depend on the policy for servers.
            session.trustPolicy = SecurityPolicy(validatesDomainName: false)
            let url = try #require(URL(string: "\(scheme)://origin.example/"))
            let cause = try #require(try await failure(session, url))
            #expect(cause.message.lowercased().contains("hostname mismatch"))
        }

        @Test("AFNetworking's self-signed certificate with only a common name needs a policy without host validation")
        func selfSigned() async throws {
            let own = try shop.issue("own", subject: "localhost", extensions: ["subjectKeyIdentifier=hash"])
            let other = try shop.issue("other", subject: "localhost", extensions: ["subjectKeyIdentifier=hash"])
            let (server, stranger) = (try serve(own), try serve(other))
            for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
                var policy = SecurityPolicy(
                    pinningMode: mode,
                    pinnedCertificates: [try own.data],
                    allowsInvalidCertificates: true
                )
                let session = CurlSession.trusting(root.certificate)
                session.trustPolicy = policy
                let cause = try #require(try await failure(session, server.url()))
                #expect(cause.code == .certificateHostMismatch)
                #expect(cause.message.contains("validatesDomainName"))
                policy.validatesDomainName = false
                session.trustPolicy = policy
                #expect(try await failure(session, server.url()) == nil)
                // The pin alone identifies the server then.
                #expect(try await failure(session, stranger.url())?.code == .pinMismatch)
            }
        }
    }
}
