import FerryOperations
import Testing

extension NginxTests {
    @Suite("Pinning in operations")
    struct OperationPinningTests {
        let checks: TLSChecks
        let manager: SessionManager

        init() throws {
            checks = try TLSChecks()
            manager = SessionManager(configuration: .ephemeral, transport: .trusting(checks.server))
        }

        /// Runs an operation that pins the certificate of one of the listeners.
        private func run(_ url: URL, pinning kind: ThrowawayCertificates.Kind) async throws -> HTTPRequestOperation {
            let file = checks.server.certificates.certificate(kind)
            let operation = HTTPRequestOperation(request: URLRequest(url: url), manager: manager)
            operation.responseSerializer = .data
            operation.securityPolicy = SecurityPolicy(
                pinningMode: .publicKey,
                pinnedCertificates: Set(try CertificateFile.certificates(in: file))
            )
            await withCheckedContinuation { continuation in
                operation.completionBlock = { continuation.resume() }
                operation.start()
            }
            return operation
        }

        @Test("The right pin succeeds; with the wrong one the operation fails, and the server receives no request")
        func pins() async throws {
            let (good, goodMark) = checks.uniqueURL(.tls)
            let fetched = try await run(good, pinning: .good)
            #expect(fetched.error == nil)
            #expect(fetched.responseData?.isEmpty == false)
            let (bad, badMark) = checks.uniqueURL(.tls)
            let refused = try await run(bad, pinning: .otherKey)
            #expect(refused.error?.code == .certificateUntrusted && refused.response == nil)
            // The refusal affects only that operation, not the manager or other operations.
            #expect(try await run(good, pinning: .good).error == nil)
            #expect(await manager.response(for: URLRequest(url: good), serializer: .data).error == nil)
            #expect(try await checks.hasLogged(goodMark))
            #expect(try await !checks.hasLogged(badMark))
        }
    }
}
