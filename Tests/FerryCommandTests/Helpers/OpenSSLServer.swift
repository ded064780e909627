import Foundation
import TestSupport

/// OpenSSL's test server, which requires the client certificate `client.pem` and has a certificate for `localhost`.
final class OpenSSLServer: Sendable {
    struct Failure: Error {
        let arguments: [String]
    }

    private static let program = "/usr/bin/openssl"

    /// Whether the tests run: without OpenSSL they are skipped unless `FERRY_REQUIRE_NGINX=1` requires all programs.
    static let isWanted =
        FileManager.default.isExecutableFile(atPath: program)
        || ProcessInfo.processInfo.environment["FERRY_REQUIRE_NGINX"] == "1"

    let port: Int
    private let process: Process

    /// Creates the certificates in the folder, with encrypted keys as `encrypted.pem` and `client.p12`, and starts.
    ///
    /// The mode `-www` responds with a page about the connection, and `-HTTP` with files that are whole responses.
    init(in folder: TemporaryFolder, mode: String = "-www") async throws {
        let subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        for name in ["server", "client"] {
            let files = ["-keyout", "\(name).key", "-out", "\(name).pem"]
            try Self.run(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"] + files + subject, in: folder)
        }
        let passphrase = ["-passout", "pass:s3cret"]
        try Self.run(["rsa", "-in", "client.key", "-aes128", "-out", "encrypted.pem"] + passphrase, in: folder)
        try Self.run(
            ["pkcs12", "-export", "-in", "client.pem", "-inkey", "client.key", "-out", "client.p12"] + passphrase,
            in: folder
        )
        let server = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", "server.pem", "-key", "server.key", "-Verify", "1",
            "-verify_return_error", "-CAfile", "client.pem", mode,
        ]
        process = try Self.start(server, in: folder)
        var found: Int?
        try await eventually("the port of openssl s_server") {
            let line = folder.text("log")?.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
            found = line?.split(separator: ":").last.flatMap { Int($0) }
            return found != nil
        }
        guard let found else { throw Failure(arguments: server) }
        port = found
    }

    deinit { process.terminate() }

    private static func run(_ arguments: [String], in folder: TemporaryFolder) throws {
        let process = try start(arguments, in: folder)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
    }

    private static func start(_ arguments: [String], in folder: TemporaryFolder) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        try folder.file("log", "")
        let log = try FileHandle(forWritingTo: folder.file("log"))
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        return process
    }
}
