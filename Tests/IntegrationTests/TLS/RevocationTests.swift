import Ferry
import FerrySession
import Testing

extension OpenSSLTests {
    @Suite("Revocation")
    final class RevocationTests {
        private let shop: CertificateShop
        private let root: CertificateShop.Issued
        private let leaf: CertificateShop.Issued

        init() throws {
            shop = try CertificateShop()
            root = try shop.issue(
                "root",
                extensions: ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
            )
            leaf = try shop.issue("leaf", extensions: ["subjectAltName=DNS:localhost,IP:127.0.0.1"], by: root)
        }

        deinit { shop.remove() }

        private func session(_ change: (inout CurlSession.Options) -> Void) -> CurlSession {
            .trusting(root.certificate, change)
        }

        private func failure(_ session: CurlSession, _ server: OpenSSLServer) async throws -> CurlSessionError? {
            do {
                _ = try await session.fetch(server.url())
                return nil
            } catch let error as URLError {
                return try #require(error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)
            }
        }

        private func serve(status: URL? = nil) throws -> OpenSSLServer {
            try OpenSSLServer(
                certificate: leaf.certificate,
                key: leaf.key,
                // libcurl finds the OCSP response by the issuer, which must be among the presented certificates.
                chain: root.certificate,
                status.map { ["-status_file", $0.path] } ?? []
            )
        }

        /// Policies that leave the chain to libcurl, and one that also evaluates it.
        private var policies: [SecurityPolicy?] {
            get throws {
                [
                    nil, SecurityPolicy(validatesDomainName: false),
                    SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [try root.data]),
                ]
            }
        }

        // MARK: - Lists

        @Test("Without a list, a revoked certificate is accepted, as the documentation says")
        func unchecked() async throws {
            _ = try shop.revocationList(of: root, revoked: [leaf])
            #expect(try await failure(session { _ in }, try serve()) == nil)
        }

        @Test("A list refuses the certificates that it has, whatever evaluates the chain as well")
        func list() async throws {
            let (good, bad) = (
                try shop.revocationList(of: root, revoked: []), try shop.revocationList(of: root, revoked: [leaf])
            )
            let server = try serve()
            for policy in try policies {
                for (file, code) in [(good, nil), (bad, CurlSessionError.Code.certificateRevoked)] {
                    let session = session { $0.tls.revocationLists = file }
                    session.trustPolicy = policy
                    let cause = try await failure(session, server)
                    #expect(cause?.code == code)
                    if code != nil { #expect(cause?.certificates.isEmpty == false) }
                }
            }
        }

        @Test("A list that is expired or another authority's says nothing, so the server is refused")
        func unknown() async throws {
            let stranger = try shop.issue("stranger", extensions: ["basicConstraints=critical,CA:TRUE"])
            let server = try serve()
            for file in [
                try shop.revocationList(of: root, revoked: [], isExpired: true),
                try shop.revocationList(of: stranger, revoked: []),
            ] {
                let cause = try await failure(session { $0.tls.revocationLists = file }, server)
                #expect(cause?.code == .revocationUnknown)
            }
        }

        @Test("A list that is replaced counts from the next connection on; one that is gone is an error")
        func replaced() async throws {
            let file = shop.file("current.crl")
            let server = try serve()
            try FileManager.default.copyItem(at: try shop.revocationList(of: root, revoked: []), to: file)
            let session = session { $0.tls.revocationLists = file }
            #expect(try await failure(session, server) == nil)
            try Data(contentsOf: try shop.revocationList(of: root, revoked: [leaf])).write(to: file)
            #expect(try await failure(session, server)?.code == .certificateRevoked)
            try FileManager.default.removeItem(at: file)
            #expect(try await failure(session, server)?.code == .invalidTLSOptions)
        }

        @Test("A proxy over TLS is checked with the lists too, at each connection")
        func proxy() async throws {
            let file = shop.file("current.crl")
            let server = try serve()
            try FileManager.default.copyItem(at: try shop.revocationList(of: root, revoked: []), to: file)
            let session = session {
                $0.proxy = .https("localhost", port: server.port)
                $0.tls.revocationLists = file
            }
            let url = try #require(URL(string: "http://origin.example/"))
            _ = try await session.fetch(url)
            try Data(contentsOf: try shop.revocationList(of: root, revoked: [leaf])).write(to: file)
            let error = try #require(await #expect(throws: URLError.self) { try await session.fetch(url) })
            let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)
            #expect(cause.message.contains("certificate revoked"))
        }

        // MARK: - Stapled responses

        @Test("A stapled response decides, and its absence is refused")
        func stapled() async throws {
            let (good, revoked) = (
                try shop.statusResponse(of: root, about: leaf),
                try shop.statusResponse(of: root, about: leaf, isRevoked: true)
            )
            let servers: [(OpenSSLServer, CurlSessionError.Code?)] = [
                (try serve(status: good), nil), (try serve(status: revoked), .certificateRevoked),
                (try serve(), .revocationUnknown),
            ]
            for (server, code) in servers {
                #expect(try await failure(session { _ in }, server) == nil)
                for policy in try policies {
                    let session = session { $0.tls.requiresStapledStatus = true }
                    session.trustPolicy = policy
                    // The second connection does not resume the session of the first, which had a response.
                    for _ in 0..<2 { #expect(try await failure(session, server)?.code == code) }
                }
            }
        }

        @Test("A response about another certificate, or of another authority, does not count")
        func foreign() async throws {
            let other = try shop.issue("other", extensions: ["subjectAltName=DNS:localhost"], by: root)
            let stranger = try shop.issue("stranger", extensions: ["basicConstraints=critical,CA:TRUE"])
            for status in [
                try shop.statusResponse(of: root, about: other),
                try shop.statusResponse(of: root, about: leaf, signer: stranger),
            ] {
                let server = try serve(status: status)
                let cause = try await failure(session { $0.tls.requiresStapledStatus = true }, server)
                #expect(cause?.code == .revocationUnknown)
            }
        }

        // MARK: - What cannot be combined

        @Test("Where libcurl does not verify the chain, revocation is not checked silently: tasks fail")
        func combinations() async throws {
            let file = try shop.revocationList(of: root, revoked: [leaf])
            let server = try serve()
            let changes: [(inout TLSOptions) -> Void] = [
                { $0.revocationLists = file }, { $0.requiresStapledStatus = true },
            ]
            for change in changes {
                let allowing = session { change(&$0.tls) }
                allowing.trustPolicy = SecurityPolicy(
                    pinningMode: .certificate,
                    pinnedCertificates: [try root.data],
                    allowsInvalidCertificates: true
                )
                let disabled = session {
                    change(&$0.tls)
                    $0.tls.dangerouslyDisablesVerification = true
                }
                let replaced = session {
                    change(&$0.tls)
                    $0.tls.trustMode = .replacesSystemTrust
                    $0.tls.trustEvaluator = { _ in .accept }
                }
                for session in [allowing, disabled, replaced] {
                    #expect(try await failure(session, server)?.code == .invalidTLSOptions)
                }
            }
        }

        @Test("A file without a list, or none at all, fails every task", arguments: [true, false])
        func files(isMissing: Bool) async throws {
            let file = isMissing ? shop.file("missing.crl") : root.certificate
            let cause = try await failure(session { $0.tls.revocationLists = file }, try serve())
            #expect(cause?.code == .invalidTLSOptions)
            #expect(cause?.message.contains("revocation lists") == true)
        }
    }
}
