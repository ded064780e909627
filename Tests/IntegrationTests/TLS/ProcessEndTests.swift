import Ferry
import Synchronization
import TestSupport
import Testing

extension NginxTests {
    @Suite("The end of the process over TLS", .serialized, .takesTurns, .slow, .ownThreads)
    struct ProcessEndTests {
        @Test("A process that ends while connections are made ends with its own status", arguments: 0..<8)
        func status(_ round: Int) async throws {
            let server = try NginxServer.shared()
            await #expect(processExitsWith: .exitCode(7)) {
                [url = server.url(.tls, "small") as URL, file = server.certificates.authority as URL] in
                for _ in 0..<4 {
                    let session = CurlSession(configuration: .ephemeral, options: .trusting(file))
                    for _ in 0..<32 {
                        Task {
                            var request = URLRequest(url: url)
                            request.setValue("close", forHTTPHeaderField: "Connection")
                            while true { _ = try? await session.data(for: request) }
                        }
                    }
                    _ = try? await session.data(from: url)
                }
                exit(7)
            }
        }
    }
}

extension CurlSession.Options {
    /// The options of a session that trusts the authorities in a PEM file.
    fileprivate static func trusting(_ file: URL) -> Self {
        var options = Self()
        options.tls.certificateAuthorities = .only([.pemFile(file)])
        return options
    }
}
