import Ferry
import Testing

extension NginxTests {
    @Suite("TLS connections")
    struct TLSConnectionTests {
        let checks: TLSChecks
        let server: NginxServer

        init() throws {
            checks = try TLSChecks()
            server = checks.server
        }

        private func trusting(_ authorities: CertificateAuthorities) -> CurlSession {
            var options = CurlSession.Options()
            options.tls.certificateAuthorities = authorities
            return CurlSession(configuration: .ephemeral, options: options)
        }

        @Test("Authorities are read from PEM files, PEM text and DER, in addition to the system's or instead of them")
        func authorities() async throws {
            let file = server.certificates.authority
            let text = try Data(contentsOf: file)
            let der = server.certificates.folder.appendingPathComponent("authority.der")
            try Subprocess.run("openssl", ["x509", "-in", file.path, "-outform", "der", "-out", der.path])
            let sources: [CertificateSource] = [.pemFile(file), .pem(text), .der(try Data(contentsOf: der))]
            for source in sources {
                _ = try await trusting(.only([source])).fetch(server.url(.tls, "small"))
                _ = try await trusting(.systemAnd([source])).fetch(server.url(.tls, "small"))
            }
            let stranger = server.certificates.folder.appendingPathComponent("stranger.pem")
            for authorities in [.system, .only([.pemFile(stranger)])] as [CertificateAuthorities] {
                let (_, cause) = try await checks.failure(trusting(authorities), server.url(.tls, "small"))
                #expect(cause.code == .unknownAuthority)
            }
            let both = trusting(.only([.pemFile(stranger), .pemFile(file)]))
            _ = try await both.fetch(server.url(.tls, "small"))
            _ = try await both.fetch(server.url(.unknownAuthority, "small"))
        }

        @Test(
            "Each fault of a certificate is reported with its reason",
            arguments: [
                (
                    NginxListener.expired, URLError.Code.serverCertificateHasBadDate,
                    CurlSessionError.Code.certificateExpired
                ),
                (.notYetValid, .serverCertificateNotYetValid, .certificateNotYetValid),
                (.unknownAuthority, .serverCertificateHasUnknownRoot, .unknownAuthority),
                (.selfSigned, .serverCertificateHasUnknownRoot, .selfSignedCertificate),
                (.wrongHost, .serverCertificateUntrusted, .certificateHostMismatch),
            ]
        )
        func reasons(listener: NginxListener, code: URLError.Code, reason: CurlSessionError.Code) async throws {
            let (url, mark) = checks.uniqueURL(listener)
            let (found, cause) = try await checks.failure(.trusting(server), url)
            #expect(found == code)
            #expect(cause.code == reason)
            #expect(try await !checks.hasLogged(mark))
        }

        @Test(
            "The error for a refused certificate names its subject, and has the chain",
            arguments: [
                (NginxListener.expired, ["certificate: CN = localhost, valid from 20", " UTC to 20"]),
                (.notYetValid, ["certificate: CN = localhost, valid from 20", " UTC to 20"]),
                (.unknownAuthority, ["certificate: CN = localhost, issued by CN = Ferry tests stranger"]),
                (.selfSigned, ["certificate: CN = localhost, issued by CN = localhost"]),
                (.wrongHost, ["certificate: CN = localhost, for other.example"]),
            ]
        )
        func subjects(listener: NginxListener, words: [String]) async throws {
            let session = CurlSession.trusting(server)
            // Repeated and concurrent failures yield the same error.
            let url = server.url(listener, "small")
            for _ in 0..<2 {
                async let other = session.fetch(server.url(.tls, "small"))
                let (_, cause) = try await checks.failure(session, url)
                for word in words { #expect(cause.message.contains(word), "\(cause.message)") }
                let own = try Data(contentsOf: server.certificates.certificate(listener.certificate))
                #expect(
                    try cause.certificates.first.map(PublicKeyPin.init(certificate:)) == PublicKeyPin(certificate: own)
                )
                #expect(try await other.1.statusCode == 200)
            }
        }

        @Test(
            "A server below the minimum or above the maximum version is refused",
            arguments: [
                (NginxListener.tls12Only, TLSVersion?.some(.tls13), TLSVersion?.none), (.tls13Only, nil, .tls12),
            ]
        )
        func versions(listener: NginxListener, minimum: TLSVersion?, maximum: TLSVersion?) async throws {
            _ = try await CurlSession.trusting(server).fetch(server.url(listener, "small"))
            let session = CurlSession.trusting(server) { options in
                options.tls.minimumVersion = minimum
                options.tls.maximumVersion = maximum
            }
            let (code, cause) = try await checks.failure(session, server.url(listener, "small"))
            #expect(code == .secureConnectionFailed)
            #expect(cause.code == .tlsVersion, "\(cause)")
            let other = listener == .tls12Only ? NginxListener.tls13Only : .tls12Only
            _ = try await session.fetch(server.url(other, "small"))
        }

        @Test("Only the configured cipher suites are used")
        func ciphers() async throws {
            let session = CurlSession.trusting(server) { options in
                options.tls.maximumVersion = .tls12
                options.tls.cipherSuites = ["ECDHE-RSA-AES128-GCM-SHA256"]
            }
            // The server's key is not an RSA key.
            let (code, cause) = try await checks.failure(session, server.url(.tls, "small"))
            #expect(code == .secureConnectionFailed)
            #expect(cause.code == .tlsHandshake)
            let unknown = CurlSession.trusting(server) { $0.tls.tls13CipherSuites = ["TLS_NO_SUCH_SUITE"] }
            #expect(try await checks.failure(unknown, server.url(.tls, "small")).code == .secureConnectionFailed)
            let known = CurlSession.trusting(server) { options in
                options.tls.cipherSuites = ["ECDHE-ECDSA-AES256-GCM-SHA384"]
                options.tls.tls13CipherSuites = ["TLS_AES_128_GCM_SHA256"]
            }
            _ = try await known.fetch(server.url(.tls, "small"))
        }

        @Test("A server without TLS is a handshake error")
        func plainServer() async throws {
            let url = server.url(.plain, "small").absoluteString.replacingOccurrences(of: "http:", with: "https:")
            let (code, cause) = try await checks.failure(.trusting(server), try #require(URL(string: url)))
            #expect(code == .secureConnectionFailed)
            #expect(cause.code == .tlsHandshake, "\(cause)")
        }

        @Test("Invalid TLS options fail only https tasks, with the reason")
        func invalid() async throws {
            let session = CurlSession.trusting(server) { $0.tls.publicKeyPins = ["localhost": []] }
            let (code, cause) = try await checks.failure(session, server.url(.tls, "small"))
            #expect(code == .secureConnectionFailed)
            #expect(cause.code == .invalidTLSOptions)
            _ = try await session.fetch(server.url(.plain, "small"))
        }

        @Test("The time between two requests does not count for the second one", .slow)
        func idleTime() async throws {
            try await withThrowingTaskGroup(of: Void.self) { [server] group in
                for keepsConnection in [true, false] {
                    group.addTask { try await Self.sendWithPauses(to: server, keepsConnection: keepsConnection) }
                }
                try await group.waitForAll()
            }
        }

        /// Sends three requests with pauses that are longer than the time limit of each.
        private static func sendWithPauses(to server: NginxServer, keepsConnection: Bool) async throws {
            var options = CurlSession.Options()
            options.tls.certificateAuthorities = .only([.pemFile(server.certificates.authority)])
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForResource = 4
            let session = CurlSession(configuration: configuration, options: options)
            var request = URLRequest(url: server.url(.tls, "small"))
            if !keepsConnection { request.setValue("close", forHTTPHeaderField: "Connection") }
            for _ in 0..<2 {
                #expect(try await session.fetch(request).1.statusCode == 200)
                try await Task.sleep(for: .milliseconds(4_200))
            }
            // This task begins on the thread that resumes it.
            let task = session.dataTask(with: request)
            task.resume()
            try await eventually("the end") { task.state == .completed }
            #expect(task.error == nil, "\(String(describing: task.error))")
        }
    }
}
