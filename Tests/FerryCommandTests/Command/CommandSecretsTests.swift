import FerryTesting
import Foundation
import Testing

/// Secrets in arguments and responses appear in nothing that the command prints.
@Suite(
    "Planted secrets of the command",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct CommandSecretsTests {
    /// A part of each secret.
    private static let mark = "pl4nted"
    private static let userInfo = "\(mark)user:\(mark)pass@"
    private static let query = "access_token=\(mark)&page=2#id_token=\(mark)"
    /// A URL where another value is expected.
    private static let misplaced = "http://\(userInfo)h/x?\(query)"

    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private let closed: ClosedPort

    init() throws {
        folder = try TemporaryFolder()
        closed = try ClosedPort()
        let (port, mark) = (closed.port, Self.mark)
        server = try LoopbackServer { request in
            let target = "http://\(Self.userInfo)127.0.0.1:\(port)/?\(Self.query)"
            var response = LoopbackResponse.text("body")
            switch request.path {
            case "/status": response = .text("no", statusCode: 404)
            case "/redirect": response = LoopbackResponse(statusCode: 302).adding("Location", target)
            case "/loop":
                let own = "http://\(Self.userInfo)\(request.header("Host") ?? "")/loop?access_token=\(mark)"
                response = LoopbackResponse(statusCode: 302).adding("Location", own)
            case "/retry": response = .status(503, headers: ["Retry-After": "0"])
            case "/challenge": response = .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            case "/truncated":
                response = .pattern(count: 100).adding("ETag", "\"e\"").faulted(.truncate(afterBodyBytes: 5))
            default: break
            }
            return response.adding("Set-Cookie", "sid=\(mark)").adding("X-Api-Key", mark)
                .adding("Link", "<\(target)>; rel=next").adding("Content-Location", target)
        }
    }

    /// Expects that the command prints something, without a secret.
    private func expectNone(
        _ arguments: [String],
        files: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await FerryProcess.run(arguments, in: folder)
        let texts = [outcome.text, outcome.errors] + files.map { folder.text($0) ?? "" }
        #expect(!outcome.errors.isEmpty, "\(arguments)", sourceLocation: sourceLocation)
        let forms = [Self.mark, Data("\(Self.mark)user:\(Self.mark)pass".utf8).base64EncodedString()]
        let found = texts.flatMap { $0.split(separator: "\n") }.filter { line in
            forms.contains { line.localizedCaseInsensitiveContains($0) }
        }
        #expect(found == [], "\(arguments)", sourceLocation: sourceLocation)
    }

    private func address(_ path: String) -> String {
        "http://\(Self.userInfo)127.0.0.1:\(server.port)/\(path)?\(Self.query)"
    }

    @Test(
        "Secrets are in no output, log, timeline and message of a transfer",
        arguments: ["ok", "status", "redirect", "loop", "retry", "challenge", "truncated"],
        [[], ["-d", "user=ada&password=pl4nted"], ["--max-redirs", "0"], ["--retry", "1", "--retry-delay", "0"]]
    )
    func transfers(_ path: String, _ options: [String]) async throws {
        let mark = Self.mark
        let common = [
            "-v", "--timings", "--json-log", "log", "--timeline", "timeline.svg", "-o", "body", "-L",
            "-w", "%{json} %{url} %{url_effective}\\n", "-H", "Authorization: Bearer \(mark)",
            "-H", "X-Api-Key: \(mark)", "-b", "sid=\(mark)", "-e", "http://h/?token=\(mark)",
        ]
        try await expectNone(common + options + [address(path)], files: ["log", "timeline.svg"])
    }

    @Test("Secrets are in no message about a host or a proxy that cannot be reached") func unreachable() async throws {
        let userInfo = Self.userInfo
        let (refused, port) = ("http://\(userInfo)127.0.0.1:\(closed.port)", closed.port)
        try await expectNone(["-v", "\(refused)/?\(Self.query)"])
        try await expectNone(["-v", "http://\(userInfo)name.invalid/?\(Self.query)"])
        try await expectNone(["-v", "-x", refused, "http://\(userInfo)name.invalid/?\(Self.query)"])
        try await expectNone(["-v", "https://\(userInfo)127.0.0.1:\(port)/?\(Self.query)"])
    }

    @Test("Secrets are not in the command that continues a download") func continuing() async throws {
        let url = address("truncated")
        let outcome = try await FerryProcess.run(["-o", "file", url], in: folder)
        #expect(outcome.errors.contains(" --continue "), "\(outcome.errors)")
        try await expectNone(["-o", "file", "-u", "\(Self.mark):\(Self.mark)", url])
    }

    @Test(
        "Secrets are in no message about a URL in the place of a file, an interface or a part",
        arguments: [
            ["-o"], ["-T"], ["-d", "@"], ["--cacert"], ["--cert"], ["--batch"], ["--config"], ["--netrc-file"], ["-c"],
            ["-D"], ["--json-log"], ["--interface"], ["--unix-socket"], ["-F", "a=<"], ["-F", "a=@"], ["-z"],
        ]
    )
    func misplaced(_ option: [String]) async throws {
        let value = option.dropFirst().joined() + Self.misplaced
        try await expectNone([option[0], value, address("ok")])
    }

    @Test("Secrets are in no message about arguments that cannot be used") func unusable() async throws {
        let mark = Self.mark
        try await expectNone(["-F", "http://\(Self.userInfo)h/?token=@", address("ok")])
        try await expectNone(["-b", "http://\(Self.userInfo)h/x", address("ok")])
        try await expectNone([address("ok"), "a=@http://\(Self.userInfo)h/x"])
        try await expectNone([address("ok"), "token:=\(mark)"])
        try await expectNone(["--resolve", "h:1:http://\(Self.userInfo)h/", address("ok")])
        try await expectNone(["--doh-url", "https://\(Self.userInfo)127.0.0.1/?\(Self.query)", address("ok")])
        try folder.file("config", "url = \"http://\(Self.userInfo)h h/?token=\(mark)")
        try await expectNone(["--config", "config"])
        try folder.file("batch", "\(Self.userInfo)h h/?token=\(mark)\n")
        try await expectNone(["--batch", "batch"])
        try folder.file("jar", "h\tFALSE\t/\tFALSE\t0\tsid\t\(mark)\tmore\n")
        try await expectNone(["-b", "jar", address("ok")])
    }
}
