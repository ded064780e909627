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

        @Test("The right pin is accepted, alone and together with another", arguments: [NginxListener.tls, .http2])
        func rightPin(listener: NginxListener) async throws {
            let (pin, other) = (try server.certificates.pin(.good), try server.certificates.pin(.otherKey))
            for pins in [[pin], [other, pin]] {
                let (url, mark) = checks.uniqueURL(listener)
                _ = try await pinning(["localhost": pins]).fetch(url)
                #expect(try await checks.hasLogged(mark))
            }
        }

        @Test("The wrong pin fails, and the server receives no request", arguments: [NginxListener.otherKey, .http2])
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

        @Test("No spelling of the host avoids its pin", arguments: ["LOCALHOST", "local%68ost", "localhost."])
        func spellings(host: String) async throws {
            let session = pinning(["localhost": [try server.certificates.pin(.otherKey)]])
            let (url, mark) = checks.uniqueURL(.tls, host: host)
            let (_, cause) = try await checks.failure(session, url)
            #expect(cause.code == .pinMismatch)
            #expect(try await !checks.hasLogged(mark))
        }

        @Test(
            "No spelling of an address avoids its pin, however the pin's host is spelled",
            arguments: ["127.0.0.1", "0x7f.1"],
            ["127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1", "127.0.0.1.", "%31%32%37.0.0.1"]
        )
        func addresses(pinned: String, host: String) async throws {
            let session = pinning([pinned: [try server.certificates.pin(.otherKey)]])
            let (url, mark) = checks.uniqueURL(.tls, host: host)
            let (_, cause) = try await checks.failure(session, url)
            #expect(cause.code == .pinMismatch, "\(cause.message)")
            #expect(try await !checks.hasLogged(mark))
        }

        /// The server's certificate is for another address than the mapped one, and its key is not the pinned one.
        @Test("A mapped address does not avoid the pin of its IPv4 address")
        func mappedAddress() async throws {
            let session = pinning(["127.0.0.1": [try server.certificates.pin(.otherKey)]])
            let (url, mark) = checks.uniqueURL(.tls, host: "[::ffff:127.0.0.1]")
            let (_, cause) = try await checks.failure(session, url)
            #expect([.pinMismatch, .certificateHostMismatch].contains(cause.code))
            #expect(try await !checks.hasLogged(mark))
        }

        @Test("A pinned address is reached in every spelling", arguments: ["127.1", "2130706433", "%31%32%37.0.0.1"])
        func pinnedAddress(host: String) async throws {
            let session = pinning(["127.0.0.1": [try server.certificates.pin(.good)]])
            let (url, mark) = checks.uniqueURL(.tls, host: host)
            _ = try await session.fetch(url)
            #expect(try await checks.hasLogged(mark))
        }

        @Test("Two spellings of a pinned host fail every task")
        func duplicates() async throws {
            let pin = try server.certificates.pin(.good)
            let session = pinning(["127.1": [pin], "127.0.0.1": [pin]])
            let (_, cause) = try await checks.failure(session, server.url(.tls, "small", host: "127.0.0.1"))
            #expect(cause.code == .invalidTLSOptions)
        }

        @Test("A host without pins is not pinned")
        func otherHost() async throws {
            let session = pinning(["127.0.0.1": [try server.certificates.pin(.otherKey)]])
            _ = try await session.fetch(server.url(.tls, "small"))
        }

        @Test("A redirect to a pinned host is checked against its pin")
        func redirection() async throws {
            let session = pinning(["localhost": [try server.certificates.pin(.otherKey)]])
            let error = await #expect(throws: URLError.self) {
                try await session.fetch(server.url(.tls, "hop/plain", host: "127.0.0.1"))
            }
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .pinMismatch)
        }

        @Test("Ferry computes the same pin as openssl")
        func computed() throws {
            let certificate = try Data(contentsOf: server.certificates.certificate(.chained))
            #expect(try PublicKeyPin(certificate: certificate) == server.certificates.pin(.chained))
        }
    }
}
