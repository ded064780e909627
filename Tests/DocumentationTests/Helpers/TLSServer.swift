import Ferry
import TestSupport

/// A server for `https://api.example.com`, with a certificate of its own: `openssl s_server`, which serves files.
final class TLSServer: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The path of the `openssl` command; nil if it is not installed.
    static let openssl = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/openssl" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isAvailable: Bool { openssl != nil }

    let port: Int
    private let process: Process
    private let folder: TemporaryFolder

    /// The certificate, which is its own authority.
    var certificate: URL { folder.file("certificate.pem") }

    /// The key of the certificate.
    var key: URL { folder.file("key.pem") }

    /// Creates a certificate and starts a server that responds with JSON to requests for a path, of clients with the
    /// same certificate if it `verifiesClients`.
    init(path: String, json: String, verifiesClients: Bool = false) throws {
        folder = try TemporaryFolder()
        let file = folder.file(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let head = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n"
        try Data((head + json).utf8).write(to: file)

        let (request, _) = try Self.start(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
                + ["-subj", "/CN=api.example.com", "-addext", "subjectAltName=DNS:api.example.com,IP:127.0.0.1"]
                + ["-keyout", "key.pem", "-out", "certificate.pem"],
            in: folder
        )
        request.waitUntilExit()
        guard request.terminationStatus == 0 else {
            throw Failure(description: "openssl req ended with \(request.terminationStatus)")
        }

        let output: FileHandle
        (process, output) = try Self.start(
            ["s_server", "-HTTP", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem"]
                + (verifiesClients ? ["-Verify", "1", "-verify_return_error", "-CAfile", "certificate.pem"] : []),
            in: folder
        )
        do {
            port = try Self.port(from: output)
        } catch {
            kill(process.processIdentifier, SIGKILL)
            throw error
        }
    }

    deinit {
        // Threads of a pool block SIGTERM, and the process has inherited the blocked signal.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static func start(_ arguments: [String], in folder: TemporaryFolder) throws -> (Process, FileHandle) {
        guard let openssl else { throw Failure(description: "openssl is not installed") }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: openssl)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, output.fileHandleForReading)
    }

    /// Reads the line `ACCEPT 127.0.0.1:PORT`, which the server writes when it listens.
    private static func port(from output: FileHandle) throws -> Int {
        var text = ""
        while true {
            if let match = text.firstMatch(of: /ACCEPT [0-9.]+:([0-9]+)\n/), let port = Int(match.1) { return port }
            let piece = output.availableData
            guard !piece.isEmpty else { throw Failure(description: "openssl s_server wrote “\(text)” and ended") }
            text += String(decoding: piece, as: UTF8.self)
        }
    }
}
