import Ferry
import FerrySession
import FerryTesting
import TestSupport
import Testing

extension NginxTests {
    /// The certificates that a resolver may have, and that its connections carry nothing else.
    @Suite("Trust in a resolver over HTTPS")
    final class ResolverTrustTests {
        let nginx: NginxServer
        let resolver: ResolverPeer
        let plain: LoopbackServer
        private let shop: CertificateShop
        private let root: CertificateShop.Issued

        init() throws {
            nginx = try .shared()
            resolver = try ResolverPeer()
            plain = try LoopbackServer { _ in .text("hello") }
            shop = try CertificateShop()
            root = try shop.issue("root", extensions: ["basicConstraints=critical,CA:TRUE"])
        }

        deinit { shop.remove() }

        /// Returns a session that trusts the authorities of nginx and of the shop.
        private func session(
            _ listener: NginxListener = .http2,
            _ change: (inout CurlSession.Options) -> Void = { _ in }
        ) -> CurlSession {
            .trusting(nginx) {
                $0.tls.certificateAuthorities = .only([
                    .pemFile(nginx.certificates.authority), .pemFile(root.certificate),
                ])
                $0.dnsOverHTTPS = resolver.url(nginx, listener)
                $0.proxy = .none
                change(&$0)
            }
        }

        private func origin(_ host: String) throws -> OpenSSLServer {
            let issued = try shop.issue("leaf", extensions: ["subjectAltName=DNS:\(host)"], by: root)
            return try OpenSSLServer(certificate: issued.certificate, key: issued.key)
        }

        private func failure(_ session: CurlSession, _ url: URL) async throws -> (URLError.Code, CurlSessionError) {
            let error = try #require(await #expect(throws: URLError.self) { try await session.fetch(url) })
            return (error.code, try #require(error.userInfo[NSUnderlyingErrorKey] as? CurlSessionError))
        }

        // MARK: - The resolver

        @Test(
            "A resolver whose certificate is not valid is not asked, and its name is not found",
            arguments: [NginxListener.selfSigned, .unknownAuthority, .expired, .wrongHost],
            ["http", "https"]
        )
        func untrusted(listener: NginxListener, scheme: String) async throws {
            let session = session(listener)
            let url = try #require(URL(string: "\(scheme)://a.example.test:\(plain.port)/"))
            let (code, cause) = try await failure(session, url)
            #expect(code == .cannotFindHost)
            #expect(cause.code == .resolverFailed)
            // libcurl compares the name itself, and reports no reason.
            if listener != .wrongHost { #expect(cause.message.contains("its certificate was refused (subject: CN")) }
            #expect(resolver.server.requestCount == 0)
            #expect(plain.requestCount == 0)
        }

        @Test("The authorities of the options are the resolver's too, and the system's if there are none")
        func authorities() async throws {
            let trusting = session()
            #expect(try await trusting.fetch(plain.url("/", host: "a.example.test")).0 == Data("hello".utf8))
            for authorities in [CertificateAuthorities.system, .only([.pemFile(root.certificate)])] {
                let other = session { $0.tls.certificateAuthorities = authorities }
                let (code, _) = try await failure(other, plain.url("/", host: "a.example.test"))
                #expect(code == .cannotFindHost)
            }
        }

        @Test("Only the option that disables all verification makes a resolver count that is not trusted")
        func disabled() async throws {
            let evaluating = session(.selfSigned) {
                $0.tls.trustMode = .replacesSystemTrust
                $0.tls.trustEvaluator = { _ in .accept }
            }
            let policy = session(.selfSigned)
            policy.trustPolicy = SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false)
            let server = try origin("a.example.test")
            for session in [evaluating, policy] {
                for url in [plain.url("/", host: "a.example.test"), server.url(host: "a.example.test")] {
                    #expect(try await failure(session, url).1.code == .resolverFailed)
                }
            }
            #expect(resolver.server.requestCount == 0)
            let careless = session(.selfSigned) { $0.tls.dangerouslyDisablesVerification = true }
            #expect(try await careless.fetch(plain.url("/", host: "a.example.test")).0 == Data("hello".utf8))
        }

        @Test("A resolver whose certificate names it only in the common name is refused, as a server would be")
        func commonName() async throws {
            let issued = try shop.issue("127.0.0.1", extensions: ["subjectKeyIdentifier=hash"], by: root)
            let server = try OpenSSLServer(certificate: issued.certificate, key: issued.key)
            let session = session { $0.dnsOverHTTPS = server.url(host: "127.0.0.1") }
            for scheme in ["http", "https"] {
                let url = try #require(URL(string: "\(scheme)://a.example.test:\(plain.port)/"))
                let cause = try await failure(session, url).1
                #expect(cause.code == .resolverFailed)
                #expect(cause.message.contains("its certificate was refused"))
            }
        }

        // MARK: - The server

        @Test("Evaluator, policy and pins are about the server of the request, and never about the resolver")
        func evaluated() async throws {
            let server = try origin("a.example.test")
            let asked = Watched<[String]>([])
            let wrong = try nginx.certificates.pin(.otherKey)
            let session = session {
                $0.tls.publicKeyPins = ["127.0.0.1": [wrong]]
                $0.tls.trustEvaluator = { trust in
                    asked.change { $0.append(trust.host) }
                    return .accept
                }
            }
            _ = try await session.fetch(server.url(host: "a.example.test"))
            #expect(asked.current == ["a.example.test"])
            #expect(!resolver.questions.isEmpty)
        }

        @Test(
            "A connection to the resolver carries no request that evaluator or pins refuse",
            arguments: [true, false]
        )
        func reuse(isPinned: Bool) async throws {
            let asked = Watched(0)
            let wrong = try nginx.certificates.pin(.otherKey)
            let session = session {
                if isPinned {
                    $0.tls.publicKeyPins = ["127.0.0.1": [wrong]]
                } else {
                    $0.tls.trustEvaluator = { _ in
                        asked.change { $0 += 1 }
                        return .refuse(reason: "it is only a resolver")
                    }
                }
            }
            // The connection to the resolver is kept.
            #expect(try await session.fetch(plain.url("/", host: "a.example.test")).0 == Data("hello".utf8))
            let mark = UUID().uuidString
            let (code, cause) = try await failure(session, nginx.url(.http2, "small?\(mark)", host: "127.0.0.1"))
            #expect(code == .serverCertificateUntrusted)
            #expect(cause.code == (isPinned ? .pinMismatch : .trustRefused))
            if !isPinned { #expect(asked.current == 1) }
            _ = try await CurlSession.trusting(nginx).fetch(nginx.url(.http2, "small?end-\(mark)"))
            try await nginx.waitForLog("end-\(mark)")
            #expect(try nginx.logged(["small?\(mark)"]) == [])
        }

        @Test("A session can send requests to its resolver's own server, on other connections", arguments: [1, 2])
        func sameServer(version: Int) async throws {
            let listener = version == 1 ? NginxListener.tls : .http2
            let asked = Watched(0)
            let evaluating = session(listener) {
                $0.tls.trustEvaluator = { _ in
                    asked.change { $0 += 1 }
                    return .accept
                }
            }
            for session in [session(listener), evaluating] {
                for round in 0..<3 {
                    let name = "\(["a", "b", "c"][round]).example.test"
                    #expect(try await session.fetch(plain.url("/", host: name)).0 == Data("hello".utf8))
                    let (body, response) = try await session.fetch(nginx.url(listener, "small", host: "127.0.0.1"))
                    #expect(body == Data("hello\n".utf8))
                    let resolvers = resolver.server.requests.compactMap { $0.headers["X-Connection"] }
                    let own = try #require(response["X-Connection"])
                    #expect(!resolvers.isEmpty)
                    if round == 0 { #expect(!resolvers.contains(own)) }
                }
            }
            #expect(asked.current >= 1)
        }

        @Test("The error of a refused server has its own certificate, also after those of a resolver were refused")
        func certificates() async throws {
            let session = session(.unknownAuthority) { $0.network.addresses = ["known.example.test": ["127.0.0.1"]] }
            let stranger = try shop.issue("stranger", extensions: ["subjectAltName=DNS:known.example.test"])
            let server = try OpenSSLServer(certificate: stranger.certificate, key: stranger.key)
            for _ in 0..<5 {
                for host in ["a.example.test", "b.example.test"] {
                    let cause = try await failure(session, server.url(host: host)).1
                    #expect(cause.code == .resolverFailed)
                    #expect(cause.certificates == [])
                }
                let cause = try await failure(session, server.url(host: "known.example.test")).1
                #expect(cause.code == .selfSignedCertificate)
                #expect(cause.certificates == [try stranger.data])
            }
        }
    }

    @Suite("Resources of lookups over HTTPS", .ownThreads)
    struct ResolverResourceTests {
        @Test("A hundred requests, found, not found, refused and given up, leave nothing behind")
        func leaks() async throws {
            let nginx = try NginxServer.shared()
            let (resolver, origin) = (try ResolverPeer(), try LoopbackServer { _ in .text("hello") })
            let urls = [resolver.url(nginx), resolver.url(nginx, .selfSigned), nginx.certificates.authority]
            let port = origin.port
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [urls = urls as [URL], port = port as Int] in
                func send(_ resolver: URL, _ rounds: Range<Int>) async throws {
                    let session = CurlSession.trusting(urls[2]) {
                        $0.dnsOverHTTPS = resolver
                        $0.proxy = .none
                    }
                    for round in rounds {
                        for kind in ["found", "unknown", "garbage", "silent"] {
                            // A separate name, so that libcurl's cache does not have it.
                            guard let url = URL(string: "http://\(kind).name-\(round).example.test:\(port)/") else {
                                return
                            }
                            var request = URLRequest(url: url)
                            if kind == "silent" { request.timeoutInterval = 0.05 }
                            let body = try? await session.data(for: request).0
                            #expect((body != nil) == (kind == "found" && resolver == urls[0]))
                        }
                    }
                    session.invalidateAndCancel()
                    try await eventually("the end of the engine") { ProcessUsage.ferryThreads == 0 }
                }
                for url in urls.prefix(2) { try await send(url, 0..<5) }
                let (descriptors, memory) = (ProcessUsage.descriptors, ProcessUsage.residentBytes)
                for url in urls.prefix(2) { try await send(url, 5..<30) }
                #expect(ProcessUsage.descriptors <= descriptors)
                Report.say(ProcessUsage.residentBytes - memory)
            }
            let growth = try Report.number(result)
            #expect(growth < 4_194_304)
        }
    }
}
