import FerryTesting
import Foundation
import Testing

@Suite(
    "Continuing after an interruption",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct ContinueTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private let size = 1_000_000

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    /// Returns the URL of a file that takes four seconds: long enough to be interrupted on a busy machine.
    private func slow(_ query: String = "") -> String {
        server.url("/bytes/\(size)?rate=\(size / 4)\(query)").absoluteString
    }

    /// Starts a download and ends the process with a signal halfway through.
    private func interrupted(_ arguments: [String], by signal: Int32, name: String) async throws -> FerryProcess.Outcome
    {
        let process = try FerryProcess(arguments, in: folder)
        try await folder.waitForSize(of: name + ".part", atLeast: size / 8)
        process.send(signal)
        return try await process.outcome()
    }

    private func expectWhole(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let digest = folder.data(name).map { SHA256Hash.hash($0).hexadecimal }
        #expect(digest == LoopbackServer.patternSHA256(count: size), sourceLocation: sourceLocation)
        #expect(folder.names == [name], sourceLocation: sourceLocation)
    }

    @Test(
        "A killed download continues with Range and If-Range, and its SHA-256 is right",
        arguments: [true, false]
    )
    func afterKill(_ hasContinue: Bool) async throws {
        let arguments = ["-o", "x.bin", slow()]
        let killed = try await interrupted(hasContinue ? ["-C"] + arguments : arguments, by: SIGKILL, name: "x.bin")
        #expect(killed.status == -SIGKILL)
        #expect(folder.names == ["x.bin.part", "x.bin.part.ferry"])
        let kept = try #require(folder.data("x.bin.part")?.count)
        let outcome = try await FerryProcess.run(["-C"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.last?.header("Range") == "bytes=\(kept)-")
        #expect(server.requests.last?.header("If-Range") == "\"pattern-\(size)\"")
        expectWhole("x.bin")
    }

    @Test("SIGINT ends the command, keeps the partial file and says how to continue")
    func afterInterrupt() async throws {
        let outcome = try await interrupted(["-O", slow()], by: SIGINT, name: "\(size)")
        #expect(outcome.status == -SIGINT)
        #expect(outcome.errors.contains("ferry: interrupted; \(size).part has "))
        let line = try #require(outcome.errorLines.last)
        #expect(line == "ferry: to continue: \(FerryProcess.path ?? "") --continue -O '\(slow())'")
        let next = try await FerryProcess.run(["--continue", "-sO", slow()], in: folder)
        #expect(next.status == 0, "\(next.errors)")
        #expect(server.requests.last?.header("Range") != nil)
        expectWhole("\(size)")
    }

    @Test("SIGTERM ends the command, and -P keeps every partial file")
    func afterTermination() async throws {
        let arguments = ["-s", "-P2", "-o", "a", "-o", "b", slow(), slow("&n=2")]
        let process = try FerryProcess(arguments, in: folder)
        try await folder.waitForSize(of: "a.part", atLeast: size / 8)
        try await folder.waitForSize(of: "b.part", atLeast: size / 8)
        process.send(SIGTERM)
        #expect(try await process.outcome().status == -SIGTERM)
        #expect(folder.names == ["a.part", "a.part.ferry", "b.part", "b.part.ferry"])
    }

    @Test(
        "SIGINT before any byte has arrived, or with standard output, ends the command immediately",
        arguments: ["/stall-before", "/stall?after=5"]
    )
    func interruptedEarly(_ target: String) async throws {
        let process = try FerryProcess([server.url(target).absoluteString], in: folder)
        try await server.waitForRequests(1, timeout: 40 * patience)
        process.send(SIGINT)
        let outcome = try await process.outcome()
        #expect(outcome.status == -SIGINT)
        #expect(outcome.errors == "ferry: interrupted\n")
    }

    @Test("A signal is handled however early it arrives")
    func interruptedAtOnce() async throws {
        for run in 1...10 {
            let process = try FerryProcess([server.url("/stall?after=5").absoluteString], in: folder)
            try await server.waitForRequests(run, timeout: 40 * patience)
            process.send(run.isMultiple(of: 2) ? SIGINT : SIGTERM)
            #expect(try await process.outcome().status == (run.isMultiple(of: 2) ? -SIGINT : -SIGTERM))
        }
    }

    @Test("A lost connection keeps the partial file, and the next run completes it")
    func afterReset() async throws {
        let url = server.url("/reset?bytes=\(size)&after=\(size / 2)&resumable=1").absoluteString
        let outcome = try await FerryProcess.run(["-so", "x.bin", url], in: folder)
        #expect(outcome.status == 7)
        #expect(outcome.errors.contains("x.bin.part has "))
        #expect(try await FerryProcess.run(["-sCo", "x.bin", url], in: folder).status == 0)
        expectWhole("x.bin")
    }

    @Test("-C -O does not continue or replace a file of the same name that another URL has begun, as -C -o")
    func anotherURL() async throws {
        let target = "/reset?bytes=\(size)&after=\(size / 2)&resumable=1"
        #expect(try await FerryProcess.run(["-sO", server.url(target).absoluteString], in: folder).status == 7)
        let part = try #require(folder.data("reset.part"))
        let other = server.url(target + "&other=1").absoluteString
        for output in [["-O"], ["-o", "reset"]] {
            let outcome = try await FerryProcess.run(["-sC"] + output + [other], in: folder)
            #expect(outcome.status == 23 && outcome.errors.contains("it was started from"), "\(outcome.errors)")
            #expect(folder.data("reset.part") == part)
        }
        // Without -C, a file of the same name is replaced.
        #expect(
            try await FerryProcess.run(["-sO", server.url("/reset?bytes=5").absoluteString], in: folder).status == 7
        )
        #expect(folder.data("reset.part") != part)
    }

    @Test(
        "A partial file of another user is neither continued nor written to",
        .enabled(if: geteuid() == 0, "only root can make a file of another user"),
        arguments: ["x.bin.part", "x.bin.part.ferry"]
    )
    func anotherOwner(_ name: String) async throws {
        let url = server.url("/reset?bytes=\(size)&after=\(size / 2)&resumable=1").absoluteString
        #expect(try await FerryProcess.run(["-so", "x.bin", url], in: folder).status == 7)
        let part = try #require(folder.data("x.bin.part"))
        try #require(chmod(folder.url.path, 0o1777) == 0 && chown(folder.path(name), 65_534, 65_534) == 0)
        for arguments in [["-C"], []] {
            let outcome = try await FerryProcess.run(arguments + ["-so", "x.bin", url], in: folder)
            #expect(outcome.status == 23 && outcome.errors.contains("belongs to another user"), "\(outcome.errors)")
            #expect(folder.data("x.bin.part") == part)
        }
        #expect(server.requestCount == 1)
    }

    @Test("A request that --continue does not accept leaves no partial file, and no command that would be refused")
    func cannotContinue() async throws {
        let url = server.url("/reset?bytes=\(size)&after=\(size / 2)&resumable=1").absoluteString
        for arguments in [["-X", "GET", "-d", "a=b"], ["-H", "If-Range: \"a\""], ["-i"]] {
            let outcome = try await FerryProcess.run(arguments + ["-so", "x.bin", url], in: folder)
            #expect(outcome.status == 7 && !outcome.errors.contains("x.bin.part"), "\(outcome.errors)")
        }
        let items = try await FerryProcess.run(["GET", "-so", "x.bin", url, "a=b"], in: folder)
        #expect(items.status == 7 && items.errorLines.count == 1, "\(items.errors)")
        #expect(folder.names.isEmpty)
        let refused = try await FerryProcess.run(["GET", "-sCo", "x.bin", url, "a=b"], in: folder)
        #expect(refused.status == 2, "\(refused.errors)")
    }

    @Test("Without --continue a partial file starts over")
    func startsOver() async throws {
        _ = try await interrupted(["-o", "x.bin", slow()], by: SIGKILL, name: "x.bin")
        let outcome = try await FerryProcess.run(["-so", "x.bin", slow()], in: folder)
        #expect(outcome.status == 0)
        #expect(server.requests.last?.header("Range") == nil)
        expectWhole("x.bin")
    }

    // MARK: - The server's responses

    /// Writes a partial file and its record, as a killed run does.
    private func leave(
        _ data: Data,
        url: String,
        validator: String = "\\\"pattern-1000000\\\"",
        length: Int? = nil
    ) throws {
        try data.write(to: folder.url.appendingPathComponent("x.bin.part"))
        let end = length.map { #","length":\#($0)"# } ?? ""
        try folder.file("x.bin.part.ferry", #"{"url":"\#(url)","validator":"\#(validator)"\#(end)}"#)
    }

    @Test("A file that has changed starts over, and nothing of the old one remains")
    func changed() async throws {
        let url = server.url("/bytes/\(size)").absoluteString
        try leave(Data("old".utf8), url: url, validator: "\\\"other\\\"", length: 5)
        let outcome = try await FerryProcess.run(["-Co", "x.bin", url], in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("x.bin.part: the server sends the whole file: starting over"))
        expectWhole("x.bin")
    }

    @Test("A server without range support sends the whole file again")
    func withoutRanges() async throws {
        let url = server.url("/bytes/\(size)?ranges=0").absoluteString
        try leave(LoopbackServer.pattern(count: 10), url: url, length: size)
        #expect(try await FerryProcess.run(["-sCo", "x.bin", url], in: folder).status == 0)
        expectWhole("x.bin")
    }

    @Test("A partial file that is already complete is published after 416, without another transfer")
    func alreadyWhole() async throws {
        let url = server.url("/bytes/\(size)").absoluteString
        try leave(LoopbackServer.pattern(count: size), url: url, length: size)
        #expect(try await FerryProcess.run(["-sCo", "x.bin", url], in: folder).status == 0)
        #expect(server.requestCount == 1)
        #expect(server.sentByteCount < size)
        expectWhole("x.bin")
    }

    @Test("A partial file longer than the server's starts over after 416")
    func tooLong() async throws {
        let url = server.url("/bytes/\(size)").absoluteString
        try leave(LoopbackServer.pattern(count: size + 1), url: url)
        #expect(try await FerryProcess.run(["-sCo", "x.bin", url], in: folder).status == 0)
        #expect(server.requests.map { $0.header("Range") } == ["bytes=\(size + 1)-", nil])
        expectWhole("x.bin")
    }

    @Test("A range other than the requested one is not appended")
    func wrongRange() async throws {
        let whole = LoopbackServer.pattern(count: 1_000_000)
        let server = try LoopbackServer { request in
            guard request.header("Range") != nil else { return .data(whole) }
            return LoopbackResponse(
                statusCode: 206,
                headers: ["Content-Range": "bytes 0-999999/1000000"],
                body: .data(whole)
            )
        }
        try leave(LoopbackServer.pattern(count: 10), url: server.url.absoluteString, length: size)
        #expect(try await FerryProcess.run(["-sCo", "x.bin", server.url.absoluteString], in: folder).status == 0)
        #expect(server.requestCount == 2)
        expectWhole("x.bin")
    }

    @Test(
        "A rest without a length that ends early is not published, although the length was not known before",
        arguments: [
            "Connection: close\r\n\r\n" + String(repeating: "B", count: 50),
            "Transfer-Encoding: chunked\r\n\r\n32\r\n" + String(repeating: "B", count: 50) + "\r\n0\r\n\r\n",
        ]
    )
    func shortRest(_ rest: String) async throws {
        let server = try RawServer(
            answering: "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: bytes 100-199/200\r\n" + rest
        )
        try leave(Data(repeating: 65, count: 100), url: server.url().absoluteString, validator: "\\\"v1\\\"")
        let outcome = try await FerryProcess.run(["-sCo", "x.bin", server.url().absoluteString], in: folder)
        #expect(outcome.status == 7)
        #expect(outcome.errors.contains("x.bin.part: it has 150 bytes instead of 200"), "\(outcome.errors)")
        #expect(folder.names == ["x.bin.part", "x.bin.part.ferry"])
    }

    @Test("A continued file whose name the server has chosen does not replace another one")
    func serversName() async throws {
        let server = try LoopbackServer { [size] request in
            .resource(.pattern(count: size), etag: "v1", for: request)
        }
        let url = server.url("/download").absoluteString
        try leave(LoopbackServer.pattern(count: 10), url: url, validator: "\\\"v1\\\"", length: size)
        try folder.file("x.bin", "mine")
        let refused = try await FerryProcess.run(["-sOC", url], in: folder)
        #expect(refused.status == 23)
        #expect(refused.errors.contains("x.bin: the server chose a name that already exists"), "\(refused.errors)")
        #expect(folder.text("x.bin") == "mine")
        #expect(folder.data("x.bin.part")?.count == 10)
        try FileManager.default.removeItem(at: folder.file("x.bin"))
        #expect(try await FerryProcess.run(["-sOC", url], in: folder).status == 0)
        expectWhole("x.bin")
    }

    @Test("A partial file of another URL is not one to continue")
    func keepsOther() async throws {
        try leave(LoopbackServer.pattern(count: 10), url: slow(), length: size)
        let outcome = try await FerryProcess.run(["-o", "x.bin", server.url("/status/503").absoluteString], in: folder)
        #expect(outcome.status == 22 && !outcome.errors.contains("to continue"), "\(outcome.errors)")
        #expect(folder.data("x.bin.part")?.count == 10)
    }

    @Test("An HTTP error, or another URL, leaves the partial file unchanged")
    func keeps() async throws {
        let url = server.url("/status/503").absoluteString
        try leave(LoopbackServer.pattern(count: 10), url: url, length: size)
        let outcome = try await FerryProcess.run(["-Co", "x.bin", url], in: folder)
        #expect(outcome.status == 22)
        #expect(outcome.errors.contains("HTTP 503"))
        #expect(folder.data("x.bin.part")?.count == 10)
        let other = try await FerryProcess.run(["-Co", "x.bin", slow()], in: folder)
        #expect(other.status == 23)
        #expect(other.errorLines.count == 1)
        #expect(other.errors.contains("it was started from \(url)"))
        // The data of -G is a part of the URL.
        let query = try await FerryProcess.run(["-Co", "x.bin", "-G", "-d", "id=2", url], in: folder)
        #expect(query.status == 23)
        #expect(query.errors.contains("it was started from \(url)"))
        #expect(folder.names == ["x.bin.part", "x.bin.part.ferry"])
    }
}
