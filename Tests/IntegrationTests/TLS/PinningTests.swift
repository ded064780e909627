import Ferry
import Testing

extension NginxTests {
    @Suite("Public-key pins")
    struct PinningTests {
        let checks: TLSChecks
        let server: NginxServer

        init() throws {
            checks = try TLSChecks()
            server = checks.server
        }

        private func pinning(_ pins: [String: [PublicKeyPin]]) -> CurlSession {
            .trusting(server) { $0.tls.publicKeyPins = pins }
        }

        @Test("The right pin passes, alone and beside another", arguments: [NginxListener.tls, .http2])
        func rightPin(listener: NginxListener) async throws {
            let (pin, other) = (try server.certificates.pin(.good), try server.certificates.pin(.otherKey))
            for pins in [[pin], [other, pin]] {
                let (url, mark) = checks.uniqueURL(listener)
                _ = try await pinning(["localhost": pins]).fetch(url)
                #expect(try await checks.hasLogged(mark))
            }
        }

        @Test("The wrong pin fails, and the server has seen no request", arguments: [NginxListener.otherKey, .http2])
        func wrongPin(listener: NginxListener) async throws {
            let pin = try server.certificates.pin(listener == .http2 ? .otherKey : .good)
            let session = pinning(["localhost": [pin]])
            let (url, mark) = checks.uniqueURL(listener)
            for _ in 0..<3 {
                let (code, cause) = try await checks.failure(session, url)
                #expect(code == .serverCertificateUntrusted)
                #expect(cause.code == .pinMismatch)
                #expect(cause.message.contains("CN = localhost"))
                #expect(cause.certificates.count == 1)
            }
            #expect(try await !checks.hasLogged(mark))
        }

        @Test("No spelling of the host goes around its pin", arguments: ["LOCALHOST", "local%68ost"])
        func spellings(host: String) async throws {
            let session = pinning(["localhost": [try server.certificates.pin(.otherKey)]])
            let (url, mark) = checks.uniqueURL(.tls, host: host)
            let (_, cause) = try await checks.failure(session, url)
            #expect(cause.code == .pinMismatch)
            #expect(try await !checks.hasLogged(mark))
        }

        @Test("A host without pins is not pinned")
        func otherHost() async throws {
            let session = pinning(["127.0.0.1": [try server.certificates.pin(.otherKey)]])
            _ = try await session.fetch(server.url(.tls, "small"))
        }

        @Test("A redirection to a pinned host meets its pin")
        func redirection() async throws {
            let session = pinning(["localhost": [try server.certificates.pin(.otherKey)]])
            let error = await #expect(throws: URLError.self) {
                try await session.fetch(server.url(.tls, "hop/plain", host: "127.0.0.1"))
            }
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .pinMismatch)
        }

        @Test("The pin Ferry computes is the one that openssl computes")
        func computed() throws {
            let certificate = try Data(contentsOf: server.certificates.certificate(.chained))
            #expect(try PublicKeyPin(certificate: certificate) == server.certificates.pin(.chained))
        }
    }
}
