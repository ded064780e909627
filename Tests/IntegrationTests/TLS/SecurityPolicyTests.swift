import Ferry
import FerrySession
import TestSupport
import Testing

extension NginxTests {
    @Suite("Security policies")
    struct SecurityPolicyTests {
        let checks: TLSChecks
        let server: NginxServer

        init() throws {
            checks = try TLSChecks()
            server = checks.server
        }

        /// Returns the first certificate of a PEM or DER file, as DER.
        private func certificate(_ file: URL) throws -> Data {
            try #require(try CertificateFile.certificates(in: file).first)
        }

        private func certificate(_ kind: ThrowawayCertificates.Kind) throws -> Data {
            try certificate(server.certificates.certificate(kind))
        }

        private func fetch(
            _ manager: SessionManager,
            _ url: URL,
            method: String = "GET"
        ) async -> TaskResponse<Data> {
            var request = URLRequest(url: url)
            request.httpMethod = method
            return await manager.response(for: request, serializer: HTTPDataResponseSerializer())
        }

        /// Fails if a refused server has received a request, or an accepted one has not.
        private func checkLog(refused: [String], accepted: [String]) async throws {
            let last = try #require(accepted.last)
            #expect(try await checks.hasLogged(last))
            #expect(try server.logged(refused) == [], "a refused server received these requests")
            #expect(try server.logged(accepted) == accepted, "an accepted server did not receive all requests")
        }

        // MARK: - The decision table

        private static let columns: [(title: String, listener: NginxListener)] = [
            ("good", .chained), ("expired", .chainedExpired), ("other host", .chainedWrongHost),
            ("self-signed", .selfSigned),
        ]

        private enum Pin: String, CaseIterable {
            case none, own, intermediate, root, another
        }

        private func pin(_ pin: Pin, for listener: NginxListener) throws -> Set<Data> {
            let files = server.certificates
            switch pin {
            case .none: return []
            case .own: return [try certificate(ThrowawayCertificates.Kind(rawValue: "\(listener)") ?? .good)]
            case .intermediate: return [try certificate(files.intermediate)]
            case .root: return [try certificate(files.authority)]
            case .another: return [try certificate(.otherKey)]
            }
        }

        @Test(
            "A host's policy applies to all spellings of the host",
            arguments: [
                ("127.0.0.1", "127.1"), ("0x7f.1", "127.0.0.1"), ("127.1", "2130706433"),
                ("127.0.0.1", "%31%32%37.0.0.1"),
                ("localhost", "LOCALHOST"), ("LocalHost.", "localhost"), ("localhost", "localhost."),
            ]
        )
        func spellings(pattern: String, host: String) async throws {
            let manager = SessionManager(configuration: .ephemeral, transport: .trusting(server))
            var strict = SecurityPolicy(pinningMode: .publicKey)
            strict.pinnedPublicKeys = [try server.certificates.pin(.otherKey)]
            try manager.setSecurityPolicy(SecurityPolicy(hostPolicies: [pattern: strict]))
            let (url, mark) = checks.uniqueURL(.tls, host: host)
            let response = await fetch(manager, url)
            #expect(response.error?.sessionError?.code == .pinMismatch)
            try await checkLog(refused: [mark], accepted: [try await accepted(manager)])
        }

        /// Sends a request that the policy allows, and returns its mark.
        private func accepted(_ manager: SessionManager) async throws -> String {
            try manager.setSecurityPolicy(SecurityPolicy(validatesDomainName: false))
            let (url, mark) = checks.uniqueURL(.tls)
            #expect(await fetch(manager, url).error == nil)
            return mark
        }

        @Test("A policy with two spellings of one host is refused")
        func duplicates() throws {
            let manager = SessionManager(configuration: .ephemeral, transport: .trusting(server))
            let policies = [
                "*.example.com": SecurityPolicy(), "*.Example.com.": SecurityPolicy(pinningMode: .publicKey),
            ]
            let error = #expect(throws: NetworkError.self) {
                try manager.setSecurityPolicy(SecurityPolicy(hostPolicies: policies))
            }
            #expect(error?.code == .invalidSecurityPolicy)
        }

        @Test("Every policy decides about every server as the documentation's table says, before any request is sent")
        func decisionTable() async throws {
            // One manager for all rows, so that each row also changes its policy.
            let manager = SessionManager(configuration: .ephemeral, transport: .trusting(server))
            var (refused, accepted): ([String], [String]) = ([], [])
            var rows = [
                "| pinning | pins | untrusted allowed | host validated | "
                    + Self.columns.map(\.title).joined(separator: " | ") + " |",
                "| --- | --- | --- | --- |" + String(repeating: " --- |", count: Self.columns.count),
            ]
            for mode in SecurityPolicy.PinningMode.allCases {
                for pin in Pin.allCases where mode != .none || pin == .none {
                    for (allowsInvalid, validatesDomain) in [
                        (false, true), (false, false), (true, true), (true, false),
                    ] {
                        var cells = ["\(mode)", "\(pin)", allowsInvalid ? "yes" : "no", validatesDomain ? "yes" : "no"]
                        for column in Self.columns {
                            try manager.setSecurityPolicy(
                                SecurityPolicy(
                                    pinningMode: mode,
                                    pinnedCertificates: try self.pin(pin, for: column.listener),
                                    allowsInvalidCertificates: allowsInvalid,
                                    validatesDomainName: validatesDomain
                                )
                            )
                            let (url, mark) = checks.uniqueURL(column.listener)
                            let error = await fetch(manager, url).error
                            cells.append(try cell(error, url, isDefault: manager.securityPolicy == SecurityPolicy()))
                            if error == nil { accepted.append(mark) } else { refused.append(mark) }
                        }
                        rows.append("| " + cells.joined(separator: " | ") + " |")
                    }
                }
            }
            try await checkLog(refused: refused, accepted: accepted)
            try DecisionTable.check(rows)
        }

        /// Returns the cell for an error: the reason of a refusal.
        private func cell(_ error: NetworkError?, _ url: URL, isDefault: Bool) throws -> String {
            guard let error else { return "**accepted**" }
            #expect(error.code == .certificateUntrusted)
            if !isDefault { #expect(error.nsError.code == -1202) }
            #expect(error.failingURL == url)
            let cause = try #require(error.sessionError)
            #expect(cause.host == "localhost")
            // If the TLS library itself ends the handshake, libcurl does not receive the chain.
            if cause.curlCode == nil { #expect(!cause.certificates.isEmpty) }
            return cause.code.rawValue
        }

        // MARK: - Policy changes

        @Test(
            "A connection accepted under an earlier policy carries no request",
            arguments: [NginxListener.tls, .http2]
        )
        func stricter(listener: NginxListener) async throws {
            let manager = SessionManager(configuration: .ephemeral, transport: .trusting(server))
            let right = SecurityPolicy(
                pinningMode: .publicKey,
                pinnedPublicKeys: [try PublicKeyPin(certificate: try certificate(.good))]
            )
            var wrong = right
            wrong.pinnedPublicKeys = [try PublicKeyPin(certificate: try certificate(.otherKey))]
            var (refused, accepted): ([String], [String]) = ([], [])
            for policy in [SecurityPolicy(), wrong, right, wrong, SecurityPolicy(), wrong, right] {
                try manager.setSecurityPolicy(policy)
                for method in ["GET", "POST", "GET"] {
                    let (url, mark) = checks.uniqueURL(listener)
                    let response = await fetch(manager, url, method: method)
                    #expect(response.error?.sessionError?.code == (policy == wrong ? .pinMismatch : nil))
                    if policy == wrong { refused.append(mark) } else { accepted.append(mark) }
                }
            }
            try await checkLog(refused: refused, accepted: accepted)
        }

        @Test(
            "A connection that libcurl did not verify is not reused under a stricter policy",
            arguments: [NginxListener.selfSigned, .wrongHost]
        )
        func verifiedLater(listener: NginxListener) async throws {
            let manager = SessionManager(configuration: .ephemeral, transport: .trusting(server))
            try manager.setSecurityPolicy(
                SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false)
            )
            let (url, mark) = checks.uniqueURL(listener)
            #expect(await fetch(manager, url).error == nil)
            for policy in [SecurityPolicy(), SecurityPolicy(pinningMode: .certificate)] {
                try manager.setSecurityPolicy(policy)
                let (url, refused) = checks.uniqueURL(listener)
                #expect(await fetch(manager, url).error?.code == .certificateUntrusted)
                try await checkLog(refused: [refused], accepted: [mark])
            }
        }

        @Test("A connection is evaluated once, and kept while the policy is unchanged")
        func kept() async throws {
            let manager = try SessionManager(
                configuration: .ephemeral,
                transport: .trusting(server),
                securityPolicy: SecurityPolicy(
                    pinningMode: .certificate,
                    pinnedCertificates: [try certificate(server.certificates.authority)]
                )
            )
            var connections: Set<String> = []
            for _ in 0..<10 {
                let response = await fetch(manager, server.url(.http2, "small"))
                connections.insert(try #require((response.response as? HTTPURLResponse)?["X-Connection"]))
                try manager.setSecurityPolicy(manager.securityPolicy)
            }
            #expect(connections.count == 1)
        }

        @Test("A single-use body stream is not consumed on a connection of an earlier policy")
        func stream() async throws {
            let manager = SessionManager(configuration: .ephemeral, transport: .trusting(server))
            #expect(await fetch(manager, server.url(.http2, "small")).error == nil)
            let pins = Set([try certificate(.good)])
            for mode in [SecurityPolicy.PinningMode.publicKey, .certificate, .publicKey] {
                try manager.setSecurityPolicy(SecurityPolicy(pinningMode: mode, pinnedCertificates: pins))
                var request = URLRequest(url: server.url(.http2, "uploads/\(UUID().uuidString)"))
                request.httpMethod = "PUT"
                request.httpBodyStream = InputStream(data: Data("body".utf8))
                let response = await withCheckedContinuation { continuation in
                    manager.uploadTask(withStreamedRequest: request, serializer: HTTPDataResponseSerializer()) {
                        continuation.resume(returning: $0)
                    }.resume()
                }
                #expect(response.error == nil)
                #expect(response.statusCode == 201)
            }
        }

        @Test("Hosts can have their own policies")
        func hosts() async throws {
            let manager = SessionManager(configuration: .ephemeral, transport: .trusting(server))
            let wrong = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [try certificate(.otherKey)])
            try manager.setSecurityPolicy(SecurityPolicy(hostPolicies: ["LocalHost.": wrong]))
            #expect(await fetch(manager, server.url(.tls, "small", host: "127.0.0.1")).error == nil)
            for host in ["localhost", "LOCALHOST", "local%68ost"] {
                let error = await fetch(manager, server.url(.tls, "small", host: host)).error
                #expect(error?.sessionError?.code == .pinMismatch)
            }
            // A redirect is checked against the policy of its target.
            let hop = await fetch(manager, server.url(.tls, "hop/plain", host: "127.0.0.1"))
            #expect(hop.error?.sessionError?.code == .pinMismatch)
        }

        @Test("An evaluator in the options can still refuse, and receives verified chains")
        func evaluator() async throws {
            let recorder = TrustRecorder { _ in .refuse(reason: "the evaluator's") }
            var options = CurlSession.Options()
            options.tls.certificateAuthorities = .only([.pemFile(server.certificates.authority)])
            options.tls.trustEvaluator = { recorder.evaluate($0) }
            let manager = try SessionManager(
                configuration: .ephemeral,
                transport: .curl(options: options),
                securityPolicy: SecurityPolicy(allowsInvalidCertificates: true, validatesDomainName: false)
            )
            let unverified = await fetch(manager, server.url(.selfSigned, "small")).error
            #expect(unverified?.sessionError?.code == .selfSignedCertificate)
            let refused = await fetch(manager, server.url(.tls, "small")).error
            #expect(refused?.sessionError?.message.contains("the evaluator's") == true)
            #expect(recorder.trusts.map(\.isVerified) == [true])
        }
    }
}
