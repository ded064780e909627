import FerryTesting
import Foundation
import ProxySupport
import Testing

@testable import FerryCommand

/// Behavior that is not compared with curl: terminals, rates, config files and local sockets.
@Suite(
    "Everyday options",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct EverydayTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    private func url(_ target: String) -> String { server.url(target).absoluteString }

    @Test("Binary bytes are not written to a terminal, unless -o - asks for it", arguments: [true, false])
    func binary(_ isWanted: Bool) async throws {
        let own = try LoopbackServer { _ in LoopbackResponse(body: .data(Data("text\u{0}more".utf8))) }
        let terminal = try PseudoTerminal(columns: 90)
        let process = try FerryProcess(
            (isWanted ? ["-o", "-"] : []) + [own.url.absoluteString],
            in: folder,
            output: terminal.handle
        )
        let outcome = try await process.outcome()
        #expect(outcome.status == (isWanted ? 0 : 23))
        #expect(try terminal.text() == (isWanted ? "text\u{0}more" : ""))
        #expect(outcome.errors.contains("the body is binary") == !isWanted)
    }

    @Test("A null byte counts only at the beginning of a body")
    func check() throws {
        var check = BinaryCheck()
        try check.check(Data(repeating: 65, count: 1_999))
        #expect(throws: CommandFailure.self) {
            var copy = check
            try copy.check(Data([0]))
        }
        try check.check(Data([65, 0, 0]))
    }

    @Test("--limit-rate slows a download down, and zero does not")
    func rate() async throws {
        let elapsed = try await ContinuousClock().measure {
            let outcome = try await FerryProcess.run(["-s", "--limit-rate", "100k", url("/bytes/300000")], in: folder)
            #expect(outcome.output == LoopbackServer.pattern(count: 300_000))
        }
        #expect(elapsed > .milliseconds(500))
        #expect(try await FerryProcess.run(["--limit-rate", "0", url("/bytes/5")], in: folder).status == 0)
    }

    @Test(
        "--limit-rate waits no longer than the other limits, and a signal ends the wait",
        arguments: [["-m", "0.5"], ["--deadline", "0.5"], []],
        [[], ["-o", "x"]]
    )
    func rateAndTime(_ limit: [String], _ output: [String]) async throws {
        // At this rate, the whole transfer takes days.
        let process = try FerryProcess(
            ["-s", "--limit-rate", "1"] + limit + output + [url("/bytes/300000")],
            in: folder
        )
        if limit.isEmpty {
            try await server.waitForRequests(1, timeout: 40 * patience)
            process.send(SIGINT)
        }
        let outcome = try await process.outcome()
        #expect(outcome.status == (limit.isEmpty ? -SIGINT : 28), "\(outcome.errors)")
        let name = limit.first == "-m" ? "--max-time" : limit.first ?? "interrupted"
        #expect(outcome.errors.contains(name), "\(outcome.errors)")
        #expect(outcome.output.count < 10_000)
    }

    @Test("A config file has the options and URLs, also from standard input")
    func config() async throws {
        try folder.file("config", "url = \"\(url("/echo"))\"\ndata = \"a b\"\nheader = \"X-A: b\"\nsilent\n")
        #expect(try await FerryProcess.run(["-K", "config"], in: folder).status == 0)
        let first = try #require(server.requests.last)
        #expect(first.bodyText == "a b" && first.header("X-A") == "b")
        let text = try #require(folder.text("config"))
        #expect(try await FerryProcess.run(["-K", "-", "-X", "PUT"], in: folder, input: text).status == 0)
        #expect(server.requests.last?.method == "PUT")
        try folder.file("bad", "silent\nno-such-thing = x\n")
        let bad = try await FerryProcess.run(["-K", "bad", url("/echo")], in: folder)
        #expect(bad.status == 2 && bad.errors.hasPrefix("ferry: bad, line 2: There is no option --no-such-thing"))
    }

    @Test("--compressed asks for a coding also for a file, and decodes it")
    func compressed() async throws {
        let outcome = try await FerryProcess.run(
            ["-s", "--compressed", "-o", "x", url("/gzip?bytes=50000")],
            in: folder
        )
        #expect(outcome.status == 0 && folder.data("x") == LoopbackServer.pattern(count: 50_000))
        #expect(server.requests.last?.header("Accept-Encoding")?.contains("gzip") == true)
        #expect(folder.names == ["x"])
    }

    @Test("Files of certificates and heads that cannot be used end with 23 before anything is sent")
    func files() async throws {
        for arguments in [["--cert", "missing"], ["-D", "missing/x"], ["--create-dirs", "-o", "/dev/null/x"]] {
            let outcome = try await FerryProcess.run(arguments + [url("/echo")], in: folder)
            #expect(outcome.status == 23 && outcome.errorLines.count == 1, "\(outcome.errors)")
        }
        #expect(server.connectionCount == 0)
    }

    @Test("--unix-socket connects to the socket, and one that is missing ends with 7")
    func unixSocket() async throws {
        let relay = try UnixRelay(path: folder.path("socket"), to: server.port)
        let reply = try await FerryProcess.run(["--unix-socket", "socket", "http://docker/bytes/5"], in: folder)
        #expect(reply.status == 0 && reply.output == LoopbackServer.pattern(count: 5))
        #expect(server.requests.map { $0.header("Host") } == ["docker"])
        withExtendedLifetime(relay) {}
        let outcome = try await FerryProcess.run(["--unix-socket", "missing", url("/echo")], in: folder)
        #expect(outcome.status == 7 && server.requestCount == 1)
    }

    @Test("A URL that is given twice is requested twice, also if its response may be stored")
    func twice() async throws {
        let server = try LoopbackServer { _ in .text("x").adding("Cache-Control", "max-age=600") }
        let url = server.url.absoluteString
        let outcome = try await FerryProcess.run(["-s", url, url], in: folder)
        #expect(outcome.text == "xx" && outcome.status == 0)
        #expect(server.requestCount == 2)
    }

    @Test("The credential of a proxy is sent with the first request, and not shown", arguments: ["http", "https"])
    func proxyCredential(scheme: String) async throws {
        let proxy = try TestProxy(.basic(user: "ada", password: "planted"))
        let (credential, target) = ("ada:planted@127.0.0.1:\(proxy.port)", url("/echo"))
        let outcome = try await FerryProcess.run(
            ["-v", "-T", "-", "-x", "http://" + credential, scheme == "http" ? target : "https://127.0.0.1:1/"],
            in: folder,
            input: "piped"
        )
        #expect((outcome.status == 0) == (scheme == "http"), "\(outcome.errors)")
        let expected = "Basic " + Data("ada:planted".utf8).base64EncodedString()
        #expect(proxy.exchanges.map(\.credentials) == [expected])
        #expect(!outcome.errors.contains("planted") && !outcome.errors.contains("YWRhOnBsYW50ZWQ"))
        #expect(server.requests.allSatisfy { $0.header("Proxy-Authorization") == nil && $0.body == Data("piped".utf8) })
    }

    @Test("The proxy's credential is sent after a redirect to another origin too, and once if it is refused")
    func proxyCredentialAfterRedirect() async throws {
        let proxy = try TestProxy(.basic(user: "ada", password: "planted"))
        let own = try LoopbackServer { request in
            let target = request.header("Host")?.replacingOccurrences(of: "first", with: "second") ?? ""
            return request.path == "/end" ? .text("end") : .redirect(to: "http://\(target)/end")
        }
        func run(_ user: String) async throws -> FerryProcess.Outcome {
            let arguments = ["-s", "-x", "http://\(user):planted@127.0.0.1:\(proxy.port)"]
            return try await FerryProcess.run(arguments + ["http://first.example:\(own.port)/"], in: folder)
        }
        let outcome = try await run("ada")
        #expect(outcome.status == 0 && outcome.text == "end", "\(outcome.errors)")
        let expected = "Basic " + Data("ada:planted".utf8).base64EncodedString()
        #expect(proxy.exchanges.map(\.credentials) == [expected, expected])
        #expect(own.requests.allSatisfy { $0.header("Proxy-Authorization") == nil })
        let refused = try await run("eve")
        #expect(refused.status == 22 && proxy.exchanges.count == 3)
    }

    @Test(
        "With -x too, the hosts of no_proxy are reached directly, and do not get the credential of the proxy",
        arguments: [("no_proxy", "other.example, server.example"), ("NO_PROXY", "example"), ("no_proxy", "*")]
    )
    func noProxy(name: String, list: String) async throws {
        let proxy = try TestProxy()
        let arguments = ["-s", "-x", "http://ada:planted@127.0.0.1:\(proxy.port)"]
        let resolve = ["--resolve", "server.example:\(server.port):127.0.0.1"]
        let outcome = try await FerryProcess.run(
            arguments + resolve + ["http://server.example:\(server.port)/echo"],
            in: folder,
            environment: [name: list]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(proxy.exchanges.isEmpty && server.requestCount == 1)
        #expect(server.requests.last?.header("Proxy-Authorization") == nil)
    }
}
