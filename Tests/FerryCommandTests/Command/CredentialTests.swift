import FerryTesting
import Foundation
import Testing

@Suite(
    "Credentials",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct CredentialTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private static let basic = "Basic " + Data("ada:s3cret:x".utf8).base64EncodedString()

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    private func ferry(_ arguments: [String], home: String? = nil) async throws -> FerryProcess.Outcome {
        let environment = home.map { ["HOME": $0] } ?? [:]
        return try await FerryProcess.run(arguments, in: folder, environment: environment)
    }

    /// Expects one request with the field's value, and no secret in the output of the command.
    private func expect(
        _ value: String?,
        _ arguments: [String],
        home: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = server.requestCount
        let outcome = try await ferry(
            ["-v", "--timings", "--json-log", "log", "-w", "%{json}"] + arguments + [
                server.url("/status/200").absoluteString
            ],
            home: home
        )
        #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        let requests = server.requests.dropFirst(before)
        #expect(requests.map { $0.header("Authorization") } == [value], sourceLocation: sourceLocation)
        let text = outcome.text + outcome.errors + (folder.text("log") ?? "")
        #expect(!text.contains("s3cret"), "\(text)", sourceLocation: sourceLocation)
        #expect(value.map { !text.contains($0) } ?? true, sourceLocation: sourceLocation)
    }

    @Test("-u sends a name and a password, --oauth2-bearer a token, and neither is ever printed")
    func fields() async throws {
        try await expect(Self.basic, ["-u", "ada:s3cret:x"])
        try await expect("Basic " + Data("ada:".utf8).base64EncodedString(), ["--user=ada:"])
        try await expect("Bearer s3cret.token", ["--oauth2-bearer", "s3cret.token"])
    }

    @Test("A redirect to another origin does not get the credential, and one to the same origin does")
    func redirects() async throws {
        let other = try LoopbackServer()
        try folder.file("netrc", "machine 127.0.0.1 login ada password s3cret:x")
        for arguments in [["-u", "ada:s3cret:x"], ["--oauth2-bearer", "s3cret"], ["--netrc-file", "netrc"]] {
            let outcome = try await ferry(
                ["-s"] + arguments + [
                    server.url("/redirect-to?url=\(other.url("/status/200").absoluteString)").absoluteString
                ]
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(server.requests.last?.header("Authorization") != nil)
            #expect(other.requests.last?.header("Authorization") == nil)
            _ = try await ferry(["-s"] + arguments + [server.url("/redirect-to?url=/status/200").absoluteString])
            #expect(server.requests.suffix(2).allSatisfy { $0.header("Authorization") != nil })
        }
        #expect(other.requestCount == 3)
    }

    @Test("A netrc file gives the credential of its host, unless the command line has one")
    func netrc() async throws {
        try folder.file(
            "netrc",
            "machine 127.0.0.1\n  login ada\n  password s3cret:x\nmachine other login x password y\n"
        )
        try await expect(Self.basic, ["--netrc-file", "netrc"])
        try await expect("Bearer s3cret", ["--netrc-file", "netrc", "--oauth2-bearer", "s3cret"])
        try await expect("Own", ["--netrc-file", "netrc", "-H", "Authorization: Own"])
        // The server sends no challenge, so --digest sends no credential.
        try await expect(nil, ["--netrc-file", "netrc", "--digest", "-u", "bob:x"])
        try await expect(nil, ["--netrc-file", "netrc", "-H", "Authorization:"])
        try folder.file("others", "machine other login x password s3cret")
        try await expect(nil, ["--netrc-file", "others"])
    }

    @Test("--netrc reads the file in the home folder")
    func home() async throws {
        try folder.file(".netrc", "default login ada password s3cret:x")
        try await expect(Self.basic, ["-n"], home: folder.url.path)
    }

    @Test("A netrc file that cannot be used ends with 23, and nothing of it is printed")
    func unreadable() async throws {
        try folder.file("bad", "machine 127.0.0.1 login ada password \"s3cret")
        try folder.file("huge", String(repeating: "machine s3cret ", count: 20_000))
        try folder.file("binary", Data("machine s3cret ".utf8) + [0xFF])
        for (name, text) in [
            ("missing", "missing"), ("bad", "bad: "), ("huge", "huge: "), (".", "Is a directory"),
            ("binary", "not UTF-8"), ("/dev/zero", "more than 131072 bytes"),
        ] {
            let outcome = try await ferry(["--netrc-file", name, server.url("/status/200").absoluteString])
            #expect(outcome.status == 23)
            #expect(outcome.errorLines.count == 1 && outcome.errors.hasPrefix("ferry: "), "\(outcome.errors)")
            #expect(outcome.errors.contains(text) && !outcome.errors.contains("s3cret"), "\(outcome.errors)")
        }
        #expect(server.connectionCount == 0)
    }

    @Test("The command that continues an interrupted one has placeholders for credentials")
    func resumption() async throws {
        let url = server.url("/truncate?bytes=100000&after=50000").absoluteString
        let outcome = try await ferry(["-u", "ada:s3cret", "-o", "x", url])
        #expect(outcome.status == 7)
        #expect(outcome.errorLines.last?.hasSuffix(" --continue -u '<redacted>' -o x '\(url)'") == true)
    }
}
