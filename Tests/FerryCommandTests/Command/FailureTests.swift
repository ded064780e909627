import FerryTesting
import Foundation
import Testing

@Suite("Failing", .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"), .timeLimit(.minutes(5)))
struct FailureTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    /// Runs the command, and expects it to fail with one line that contains the text.
    private func expect(
        _ status: Int32,
        _ text: String,
        _ arguments: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await FerryProcess.run(arguments, in: folder)
        #expect(outcome.status == status, sourceLocation: sourceLocation)
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(outcome.errors.hasPrefix("ferry: "), sourceLocation: sourceLocation)
        #expect(outcome.errors.contains(text), "\(outcome.errors)", sourceLocation: sourceLocation)
        #expect(folder.names.isEmpty, sourceLocation: sourceLocation)
    }

    private func url(_ target: String) -> String {
        server.url(target).absoluteString
    }

    @Test("Invalid arguments end with 2 before anything is sent")
    func usage() async throws {
        try await expect(2, "did you mean --output?", ["--ouput", "x", url("/echo")])
        try await expect(2, "There is no URL", ["-s"])
        #expect(server.connectionCount == 0)
    }

    @Test("An error's body that stalls is not waited for, and one that arrives keeps the connection alive")
    func errorBodies() async throws {
        let stalling = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 500, body: .data(Data(count: 100))).faulted(.stall(afterBodyBytes: 5))
        }
        try await expect(
            22,
            "HTTP 500",
            ["-so", "x", "--timeout", "60", "--max-time", "60", stalling.url.absoluteString]
        )
        let urls = (1...5).map { url("/status/404?\($0)") }
        let outcome = try await FerryProcess.run(["-sO"] + urls, in: folder)
        #expect(outcome.status == 22)
        #expect(server.requestCount == 5 && server.connectionCount == 1)
    }

    @Test("A refused connection ends with 7")
    func refused() async throws {
        let closed = try ClosedPort()
        let url = closed.url.absoluteString
        try await expect(7, url + ": ", ["-o", "x", url])
        withExtendedLifetime(closed) {}
    }

    @Test("An unknown host name ends with 6")
    func unknownHost() async throws {
        try await expect(6, "nobody.invalid", ["http://nobody.invalid/"])
    }

    @Test(
        "A response that is not HTTP, or is truncated or missing, ends with 7 and leaves no file",
        arguments: [
            "/garbage", "/truncate?after=10&bytes=100&chunked=1&ranges=0", "/empty", "/reset-before",
        ]
    )
    func broken(_ target: String) async throws {
        try await expect(7, url(target) + ": ", ["-so", "x", url(target)])
    }

    @Test("TLS with a server that does not support it ends with 35")
    func tls() async throws {
        let server = try LoopbackServer()
        try await expect(35, "https://127.0.0.1", ["https://127.0.0.1:\(server.port)/"])
    }

    @Test("An HTTP error ends with 22, its body on standard output unless -f is given")
    func httpError() async throws {
        let outcome = try await FerryProcess.run([url("/status/404")], in: folder)
        #expect(outcome.status == 22)
        #expect(outcome.text == "404\n")
        #expect(outcome.errorLines == ["ferry: \(url("/status/404")): HTTP 404 Not Found"])
        let quiet = try await FerryProcess.run(["-f", url("/status/500")], in: folder)
        #expect(quiet.status == 22)
        #expect(quiet.output.isEmpty)
    }

    @Test("An HTTP error neither creates nor replaces a file")
    func httpErrorIntoFile() async throws {
        try await expect(22, "HTTP 404", ["-o", "x", url("/status/404")])
        try await expect(22, "HTTP 404", ["-O", url("/status/404")])
        try folder.file("x", "mine")
        _ = try await FerryProcess.run(["-o", "x", url("/status/404")], in: folder)
        #expect(folder.text("x") == "mine")
        #expect(folder.names == ["x"])
    }

    @Test(
        "A redirect without a host is an error whose body does not go to a file",
        arguments: ["http:///a.test/next", "http:////a.test/next", "http://", "http://a.test:port/"]
    )
    func redirectWithoutHost(_ location: String) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 302, headers: ["Location": location], body: .data(Data("moved".utf8)))
        }
        let url = server.url("/").absoluteString
        try await expect(7, "is not followed: its Location is not a URL with a host", ["-so", "x", url])
        let output = try await FerryProcess.run([url], in: folder)
        #expect(output.status == 7 && output.text == "moved", "\(output.errors)")
        let plain = try await FerryProcess.run(["--no-redirect", url], in: folder)
        #expect(plain.status == 0 && plain.text == "moved", "\(plain.errors)")
    }

    @Test("A 302 without a Location, or with an empty one, is an ordinary response", arguments: [nil, "", " "])
    func statusWithoutLocation(_ location: String?) async throws {
        let server = try LoopbackServer { _ in
            let response = LoopbackResponse(statusCode: 302, body: .data(Data("here".utf8)))
            return location.map { response.adding("Location", $0) } ?? response
        }
        let outcome = try await FerryProcess.run([server.url("/").absoluteString], in: folder)
        #expect(outcome.status == 0 && outcome.text == "here", "\(outcome.errors)")
    }

    @Test("Each timeout ends with 28 and is named")
    func timeouts() async throws {
        try await expect(28, "--timeout", ["--timeout", "0.2", url("/stall-before")])
        try await expect(28, "--timeout", ["--timeout=0.2", url("/stall?after=0")])
        try await expect(28, "--max-time", ["--max-time", "0.3", url("/drip?bytes=100000&interval=20"), "-so", "x"])
    }

    @Test("Files that cannot be read or written end with 23")
    func files() async throws {
        try await expect(23, "missing: cannot be read", ["-T", "missing", url("/upload")])
        try await expect(23, "missing: cannot be read", ["-d@missing", url("/echo")])
        try await expect(23, "missing/x.part: cannot be created", ["-o", "missing/x", url("/bytes/1")])
        try await expect(23, "Is a directory", ["-o", ".", url("/bytes/1")])
        try await expect(23, "missing: cannot be read", ["--cacert", "missing", url("/echo")])
        #expect(server.requestCount == 0)
        try await expect(23, "/dev/full: cannot be written: No space left", ["-o", "/dev/full", url("/bytes/1")])
    }

    @Test("A file that is not UTF-8 text is named, and not used with other characters")
    func notText() async throws {
        var jar = Data("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t".utf8)
        jar.append(0xE9)
        try folder.file("jar", jar)
        try folder.file("f", Data([0x61, 0xE9]))
        let lines = [
            ["-K", "f"], ["--batch", "f"], ["-w", "@f"], ["x=@f"], ["x:=@f"], ["-b", "jar", "-c", "jar"],
        ]
        for line in lines {
            let outcome = try await FerryProcess.run([url("/echo")] + line, in: folder)
            #expect(outcome.status != 0 && outcome.errors.contains(": it is not UTF-8 text"), "\(outcome.errors)")
        }
        #expect(server.requestCount == 0 && folder.data("jar") == jar)
    }

    @Test("One failed URL does not stop the others, and the first failure determines the exit status")
    func several() async throws {
        let urls = ["/status/404", "/bytes/5", "/garbage"].map(url)
        let outcome = try await FerryProcess.run(["-s", "-P3", "-o", "a", "-o", "b", "-o", "c"] + urls, in: folder)
        #expect(outcome.status == 22)
        #expect(outcome.errorLines.count == 2)
        #expect(folder.names == ["b"])
    }
}
