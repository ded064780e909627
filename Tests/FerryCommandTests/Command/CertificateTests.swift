import Foundation
import Testing

@Suite(
    "Certificates",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .enabled(if: OpenSSLServer.isWanted, "openssl is not installed"),
    .ownThreads,
    .timeLimit(.minutes(5))
)
struct CertificateTests {
    @Test("-k accepts any certificate, and --cert and --key present one, also with a passphrase")
    func certificates() async throws {
        let folder = try TemporaryFolder()
        let server = try await OpenSSLServer(in: folder)
        let lines: [(arguments: [String], status: Int32)] = [
            (["-E", "client.pem", "--key", "client.key"], 35), (["-k"], 35),
            (["-k", "-E", "client.pem", "--key", "client.key"], 0),
            (["--cacert", "server.pem", "--cert", "client.pem", "--key", "client.key"], 0),
            (["-k", "--cert", "client.pem:s3cret", "--key", "encrypted.pem"], 0),
            (["-k", "--cert", "client.pem:other", "--key", "encrypted.pem"], 35),
            (["-k", "--cert", "client.p12:s3cret"], 0), (["-k", "--cert", "client.p12:other"], 35),
            (["-k", "--cert", "server.pem", "--key", "server.key"], 35),
        ]
        for (arguments, status) in lines {
            let outcome = try await FerryProcess.run(
                ["-s", "-v"] + arguments + ["https://localhost:\(server.port)/"],
                in: folder
            )
            #expect(outcome.status == status, "\(arguments) \(outcome.errors)")
            #expect(!outcome.errors.contains("s3cret"))
            if status == 0 { #expect(outcome.text.contains("s_server")) }
        }
    }
}
