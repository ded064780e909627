import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

@Suite(
    "ferry --sse and --lines",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct StreamCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

    private func server(_ answers: [String]) throws -> RawServer {
        try RawServer { connection in
            connection.readHead()
            let isLast = connection.index >= answers.count
            connection.write(isLast ? "HTTP/1.1 204 No Content\r\n\r\n" : answers[connection.index])
        }
    }

    private func run(_ options: [String], _ server: RawServer) async throws -> FerryProcess.Outcome {
        try await FerryProcess.run(options + ["http://127.0.0.1:\(server.port)/"], in: folder)
    }

    @Test("Events are written, also those of a stream that is opened again, until a 204")
    func events() async throws {
        let server = try server([
            Self.head + "retry: 10\nid: 7\ndata: one\ndata: more\n\n", Self.head + "event: exit\ndata: two\n\n",
        ])
        let outcome = try await run(["--sse", "--json-log", "log"], server)
        #expect(outcome.text == "one\nmore\ntwo\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
        try await eventually("three connections") { server.received.count == 3 }
        #expect(
            server.texts.map { $0.contains("Last-Event-ID: 7\r\n") || $0.contains("Last-Event-Id: 7\r\n") } == [
                false, true, true,
            ]
        )
        let log = (folder.text("log") ?? "").split(separator: "\n")
        #expect(
            log.dropLast() == [
                #"{"event":"message","data":"one\nmore","id":"7"}"#, #"{"event":"exit","data":"two","id":"7"}"#,
            ]
        )
        #expect(log.last?.hasPrefix(#"{"event":"exit","time":"#) == true)
    }

    @Test("The time limits count from the beginning, over all connections", arguments: ["-m", "--deadline"])
    func timeLimits(option: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.head + "retry: 10\ndata: x\n\n")
            // The last connection stays open.
            if connection.index > 2 { connection.readAll() }
        }
        let outcome = try await run(["--sse", option, "4"], server)
        #expect(outcome.status == 28 && outcome.errors.contains("timed out: the transfer took longer than"))
        #expect(outcome.text.hasPrefix("x\nx\nx\n"))
    }

    @Test("A log that cannot be written fails the command") func fullLog() async throws {
        let server = try server([Self.head + "data: one\n\n"])
        let outcome = try await run(["--sse", "--json-log", "/dev/full"], server)
        #expect(outcome.text == "one\n" && outcome.status == 23, "\(outcome.errors)")
    }

    @Test("A refusal, another media type and a server that is gone have their own statuses")
    func failures() async throws {
        #expect(try await run(["--sse"], server(["HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"])).status == 22)
        let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"
        #expect(try await run(["--sse"], server([html])).status == 7)
        let unreachable = try await FerryProcess.run(["--sse", "--retry", "0", "http://127.0.0.1:1/"], in: folder)
        #expect(unreachable.status == 7)
    }

    @Test("--retry is the number of connections in a row that fail, and --retry-delay is the time between them")
    func retries() async throws {
        let server = try LoopbackServer { _ in .status(503) }
        let options = ["--sse", "--retry", "2", "--retry-delay", "0.2"]
        let outcome = try await FerryProcess.run(options + [server.url.absoluteString], in: folder)
        #expect(outcome.status == 22 && server.requestCount == 3, "\(outcome.errors)")
        #expect(outcome.errorLines.filter { $0.hasSuffix("opening it again in 200 ms") }.count == 2)
    }

    @Test("A retry of --lines has a note and an event of the log")
    func noteOfRetry() async throws {
        let server = try LoopbackServer(script: [.respond(statusCode: 503)]) { _ in .text("one\n") }
        let options = ["--lines", "--retry", "1", "--retry-delay", "0.2", "--json-log", "log"]
        let outcome = try await FerryProcess.run(options + [server.url.absoluteString], in: folder)
        #expect(outcome.status == 0 && outcome.text == "one\n")
        #expect(outcome.errors.contains("trying again in 200 ms"), "\(outcome.errors)")
        #expect(folder.text("log")?.contains("\"event\":\"retry\"") == true)
    }

    @Test("SIGINT ends a stream")
    func interruption() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.head + "data: one\n\n")
            connection.readAll()
        }
        let process = try FerryProcess(["--sse", "http://127.0.0.1:\(server.port)/"], in: folder)
        try await eventually("an event") { process.outputSoFar == Data("one\n".utf8) }
        process.send(SIGINT)
        #expect(try await process.outcome().status == -SIGINT)
        try await eventually("the end of the connection") { server.finished == 1 }
    }

    @Test("Items such as name==text are a part of the URL", arguments: ["--sse", "--lines"])
    func items(_ option: String) async throws {
        let server = try server([])
        let outcome = try await FerryProcess.run([option, "http://127.0.0.1:\(server.port)/", "a==b c"], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        try await eventually("a request") { server.texts.first?.hasPrefix("GET /?a=b+c HTTP") == true }
    }

    @Test("Lines are written as they come, whatever their ends")
    func lines() async throws {
        let mayGoOn = Watched(false)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none\r\ntwo\rth")
            mayGoOn.block { $0 }
            connection.write("ree\n\nlast")
        }
        let process = try FerryProcess(["--lines", "http://127.0.0.1:\(server.port)/"], in: folder)
        try await eventually("two lines") { process.outputSoFar == Data("one\ntwo\n".utf8) }
        mayGoOn.change { $0 = true }
        let outcome = try await process.outcome()
        #expect(outcome.text == "one\ntwo\nthree\n\nlast\n")
        #expect(outcome.status == 0)
        let missing = try self.server(["HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"])
        #expect(try await run(["--lines"], missing).status == 22)
    }

    @Test(
        "A redirect that is not followed ends with 7, as without --lines",
        arguments: ["ftp://a/next", "http:///next", "http://a:65536/", "http://a b/"]
    )
    func refusedRedirect(_ target: String) async throws {
        let response = "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 5\r\n\r\nmoved"
        let outcome = try await run(["--lines"], server([response]))
        #expect(outcome.status == 7 && outcome.text.isEmpty)
        #expect(outcome.errors.contains(" is not followed: "), "\(outcome.errors)")
    }

    @Test("Many lines at once are written completely and in order")
    func manyLines() async throws {
        let text = (0..<200_000).map { "line \($0)\n" }.joined()
        let server = try server(["HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"])
        let outcome = try await run(["--lines"], server)
        #expect(outcome.status == 0)
        #expect(outcome.text == text)
    }

    @Test("The command ends as soon as its output is not read any more", arguments: ["--lines", "--sse"])
    func brokenPipe(_ option: String) async throws {
        let mayGoOn = Watched(false)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.head + "data: one\n\n")
            mayGoOn.block { $0 }
            connection.write("data: two\n\n")
            // Nothing more is sent, until the command closes the connection.
            connection.readAll()
        }
        let pipe = Pipe()
        let process = try FerryProcess(
            [option, "http://127.0.0.1:\(server.port)/"],
            in: folder,
            output: pipe.fileHandleForWriting
        )
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.read(upToCount: 3)?.count == 3)
        try pipe.fileHandleForReading.close()
        mayGoOn.change { $0 = true }
        let outcome = try await process.outcome()
        #expect(outcome.status == 141)
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "Options that do not belong together are refused",
        arguments: [
            ["--sse", "http://a/", "http://b/"], ["--lines", "-o", "f", "http://a/"], ["--sse", "-I", "http://a/"],
            ["--sse", "-F", "a=b", "http://a/"], ["ws", "--sse", "ws://a/"],
            ["--lines", "-w", "%{http_code}", "http://a/"],
        ]
    )
    func usage(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try Action(parsing: arguments) }
    }
}
