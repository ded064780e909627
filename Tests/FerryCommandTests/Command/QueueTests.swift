import FerryCore
import FerryTesting
import Foundation
import NginxSupport
import TestSupport
import Testing

@testable import FerryCommand

/// How often the test of killed runs kills them; nil for a few times.
private let wantedKills = ProcessInfo.processInfo.environment["FERRY_TEST_KILLS"].flatMap { Int($0) }

/// `ferry queue` in separate processes.
@Suite(
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(wantedKills == nil ? 5 : 30))
)
struct QueueTests {
    private static let count = 2_000_000
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func queue(_ arguments: String...) async throws -> FerryProcess.Outcome {
        try await FerryProcess.run(["queue", "--dir", "q", "-s"] + arguments, in: folder)
    }

    /// The lines of `list`, without URL and path.
    private func list() async throws -> [String] {
        try await queue("list").text.split(separator: "\n")
            .map { line in line.split(separator: "\t").prefix(4).joined(separator: " ") }
    }

    @Test("A link is followed, and each file has one transfer")
    func outputs() async throws {
        let server = try LoopbackServer(handler: RangedContent(count: 1_000).handler)
        let base = server.url.absoluteString
        try FileManager.default.createSymbolicLink(
            at: folder.file("link"),
            withDestinationURL: folder.file("target")
        )
        #expect(try await queue("add", "-o", "link", base).status == 0)
        for name in ["target", "./link", "/dev/stdout", "/dev/null", "q"] {
            let refused = try await queue("add", "-o", name, base)
            #expect(refused.status == 2, "\(name): \(refused.errors)")
        }
        #expect(try await queue("run").status == 0)
        #expect(folder.data("target")?.count == 1_000)
        // A transfer that has finished does not write the file any more.
        #expect(try await queue("add", "-o", "link", base).status == 0)
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link"))
        #expect(link.hasSuffix("target"))
    }

    @Test("What was added is listed, run by another process, and removed")
    func basics() async throws {
        let content = RangedContent(count: Self.count)
        let server = try LoopbackServer(handler: content.handler)
        let base = server.url.absoluteString
        let added = try await queue("add", "-o", "a", "-O", base + "a", base + "dir/name?x=1", base + "other/name")
        #expect(added.status == 0)
        #expect(added.text == "1\n2\n3\n")
        let checksum = "sha-256=" + content.sha256
        #expect(try await queue("add", "-o", "d", "--connections", "4", "--checksum", checksum, base).status == 0)
        let text = try await queue("list").text
        #expect(text.hasPrefix("1\twaiting\t0\t-\t\(base)a\t\(folder.path("a"))\n"))
        #expect(try await queue("pause", "4").status == 0)
        let run = try await queue("run")
        #expect(run.status == 0 && run.text.isEmpty)
        #expect(try await list() == (1...3).map { "\($0) finished \(Self.count) \(Self.count)" } + ["4 paused 0 -"])
        #expect(try await queue("resume").status == 0)
        #expect(try await queue("run").status == 0)
        #expect(try await queue("remove", "finished").status == 0)
        #expect(try await list().isEmpty)
        // Equal names get a number.
        #expect(folder.names == ["a", "d", "name", "name.1", "q"])
        for name in ["a", "d", "name", "name.1"] {
            #expect(folder.data(name) == LoopbackServer.pattern(count: Self.count))
        }
    }

    @Test("All fields of a transfer are sent, also those with equal names")
    func fields() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let added = try await queue("add", "-o", "a", "-H", "X-A: 1", "-H", "x-a: 2", server.url.absoluteString)
        #expect(added.status == 0, "\(added.errors)")
        #expect(try await queue("run").status == 0)
        #expect(server.requests.first?.header("X-A")?.filter { $0 != " " } == "1,2")
    }

    @Test("Equal names that are as long as a name can be get a number, and are fetched")
    func longNames() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let url = server.url(String(repeating: "a", count: 300)).absoluteString
        #expect(try await queue("add", url, url).status == 0)
        let run = try await queue("run")
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.names.count == 3 && folder.names.contains { $0.hasSuffix("a.1") })
    }

    @Test("A failure is status 1 with its reason, also in the list, and the next run tries again")
    func failures() async throws {
        let answers = Mutex([404, 200])
        let server = try LoopbackServer { _ in
            .text("x", statusCode: answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
        }
        #expect(try await queue("add", "-o", "a", server.url.absoluteString).status == 0)
        let run = try await queue("run")
        #expect(run.status == 1)
        #expect(run.errors.contains("The server responded with the status 404"))
        #expect(try await queue("list").text.hasSuffix("\tThe server responded with the status 404\n"))
        #expect(try await queue("run").status == 0)
        #expect(folder.text("a") == "x")
    }

    @Test("What an earlier run has left is not counted as received") func continued() async throws {
        let content = RangedContent(count: 300_000)
        let server = try LoopbackServer(handler: content.interruptedHandler(after: 200_000))
        #expect(try await queue("add", "-o", "a", server.url.absoluteString).status == 0)
        #expect(try await queue("run").status == 1)
        #expect(try await list() == ["1 failed 200000 300000"])
        let run = try await FerryProcess.run(["queue", "--dir", "q", "run"], in: folder)
        #expect(run.status == 0)
        #expect(run.errorLines.last?.hasPrefix("a: 100 kB in ") == true, "\(run.errors)")
    }

    @Test("A server's text in the list has no control characters") func controlCharacters() async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nTransfer-Encoding: a\u{9B}31m\r\n\r\n")
        #expect(try await queue("add", "-o", "a", server.url().absoluteString).status == 0)
        #expect(try await queue("run", "--retry", "0").status == 1)
        let text = try await queue("list").text
        #expect(text.contains("\"a?31m\""), "\(text)")
    }

    @Test("In a folder that was deleted, a relative path is an error that says so, and an absolute path works")
    func deletedFolder() async throws {
        let server = try LoopbackServer()
        let environment = [
            "FERRY": try #require(FerryProcess.path), "URL": server.url("/bytes/5").absoluteString,
            "DIR": folder.url.path,
        ]
        func run(_ line: String) async throws -> FerryProcess.Outcome {
            let whole = "mkdir gone && cd gone && rmdir ../gone && $FERRY \(line)"
            return try await FerryProcess.run(
                ["-c", whole],
                in: folder,
                environment: environment,
                program: "/bin/bash"
            )
        }
        let lines = [
            "queue --dir q list", "queue --dir $DIR/q add -o file $URL", "queue --dir $DIR/q add -T file $URL",
            "-so file $URL", "-so file --connections 2 $URL", "-s --timeline t.svg $URL", "-s --json-log log $URL",
        ]
        for line in lines {
            let outcome = try await run(line)
            #expect(outcome.status == 23 && outcome.output.isEmpty, "\(line): \(outcome.text)")
            #expect(outcome.errors.hasSuffix(": the current folder does not exist\n"), "\(line): \(outcome.errors)")
        }
        #expect(server.requestCount == 0)
        for line in ["queue --dir $DIR/q add -o $DIR/a $URL", "queue --dir $DIR/q run", "-so $DIR/b $URL"] {
            let outcome = try await run(line)
            #expect(outcome.status == 0, "\(line): \(outcome.errors)")
        }
        #expect(folder.names == ["a", "b", "q"])
    }

    @Test(
        "Wrong arguments are status 2 with a message",
        arguments: [
            (["queue"], "takes one of"), (["queue", "--dir", "q"], "takes one of"),
            (["queue", "add", "http://a/"], "--dir"),
            (["queue", "--dir", "q", "go"], "'go'"), (["queue", "--dir", "q", "add"], "no URL"),
            (["queue", "--dir", "q", "remove"], "numbers"), (["queue", "--dir", "q", "pause", "x"], "'x'"),
            (["queue", "--dir", "q", "run", "http://a/"], "no operands"), (["--dir", "q", "http://a/"], "ferry queue"),
            (["queue", "--dir", "q", "add", "-H", "Authorization: x", "http://a/"], "Authorization"),
            (["queue", "--dir", "q", "add", "-H", "Accept:", "http://a/"], "cannot leave out"),
            (["queue", "--dir", "q", "add", "-u", "a:b", "http://a/"], "--user has no effect"),
            (["queue", "--dir", "q", "add", "http://ada:s3cret@a/"], "keeps no secrets"),
            (["queue", "--dir", "q", "add", "--mirror", "http://ada:s3cret@b/", "http://a/"], "keeps no secrets"),
            (["queue", "--dir", "q", "list", "-P", "4"], "--parallel-max has no effect"),
            (["queue", "--dir", "q", "add", "-T", "a", "--connections", "2", "http://a/"], "--connections has"),
            (["queue", "--dir", "q", "add", "-X", "PUT", "http://a/"], "--request has no effect"),
            (["queue", "--dir", "q", "remove", "7"], "no transfer 7"),
        ]
    )
    func usage(arguments: [String], message: String) async throws {
        let outcome = try await FerryProcess.run(arguments, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("A user in a batch is refused before anything is added, and not shown")
    func userInBatch() async throws {
        try folder.file("urls", "http://a/\nhttp://ada:s3cret@b/\n")
        let outcome = try await queue("add", "--batch", "urls")
        #expect(outcome.status == 2 && outcome.errors.contains("keeps no secrets"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("s3cret"))
        #expect(try await list().isEmpty)
    }

    @Test("A second run is refused while the first one runs, and Ctrl-C ends it with what has arrived")
    func interruption() async throws {
        var content = RangedContent(count: Self.count)
        content.bytesPerSecond = 200_000
        let server = try LoopbackServer(handler: content.handler)
        #expect(try await queue("add", "-o", "a", server.url.absoluteString).status == 0)
        let process = try FerryProcess(["queue", "--dir", "q", "run"], in: folder)
        let folder = folder
        try await eventually("a part") { folder.names.contains("a.segments") }
        let second = try await queue("run")
        #expect(second.status == 23)
        #expect(second.errors.contains("another process runs the transfers"))
        process.send(SIGINT)
        #expect(try await process.outcome().status == -SIGINT)
        #expect(try await list().first?.hasPrefix("1 waiting ") == true)
    }

    @Test("The name of a file is appended to a folder's URL, as with -T alone")
    func folderOfUpload() async throws {
        let server = try LoopbackServer { request in request.method == "OPTIONS" ? .status(404) : .status(201) }
        try folder.file("f", "x")
        #expect(try await queue("add", "-T", "f", server.url("/dir/").absoluteString).status == 0)
        let run = try await queue("run")
        #expect(run.status == 0, "\(run.errors)")
        #expect(server.requests.map { "\($0.method) \($0.target)" } == ["OPTIONS /dir/", "PUT /dir/f"])
    }

    @Test("The bar of a run is removed before an error is printed")
    func terminal() async throws {
        let server = try LoopbackServer()
        let urls = ["/bytes/2000000?rate=200000", "/bytes/100000?rate=200000"].map { server.url($0).absoluteString }
        #expect(try await queue("add", "-o", "a", "-o", "b", urls[0], urls[1]).status == 0)
        let terminal = try PseudoTerminal(columns: 90)
        let process = try FerryProcess(
            ["queue", "--dir", "q", "run"],
            in: folder,
            environment: ["TERM": "xterm", "NO_COLOR": "1"],
            errors: terminal.handle
        )
        // By then, the bar has been drawn several times.
        try await eventually("the short file") { folder.names.contains("b") }
        process.send(SIGINT)
        #expect(try await process.outcome().status == -SIGINT)
        #expect(try terminal.text().contains("\r\u{1B}[Kferry: interrupted"))
    }

    /// With the environment variable `FERRY_TEST_KILLS`, it runs 50 transfers and kills them that many times.
    @Test(
        "Runs that are killed at any moment end with every file right and none sent twice",
        .enabled(if: UploadPeer.isWanted, "python3 is not installed: apt-get install python3")
    )
    func killed() async throws {
        let wanted = wantedKills
        var content = RangedContent(count: Self.count)
        content.bytesPerSecond = 3_000_000
        let server = try LoopbackServer(handler: content.handler)
        let peer = try UploadPeer.shared()
        let names = (0..<(wanted == nil ? 8 : 40)).map { "d\($0)" }
        for (index, name) in names.enumerated() {
            let more = index % 2 == 0 ? ["--connections", "4"] : ["--checksum", "sha-256=" + content.sha256]
            let arguments = ["queue", "--dir", "q", "-s", "add", "-o", name, server.url.absoluteString + name] + more
            #expect(try await FerryProcess.run(arguments, in: folder).status == 0)
        }
        try LoopbackServer.pattern(count: Self.count).write(to: folder.file("source"))
        let kinds = wanted == nil ? ["tus", "draft", "tus"] : (0..<10).map { $0 % 2 == 0 ? "tus" : "draft" }
        let uploads = try kinds.map { try peer.url($0) }
        for url in uploads { #expect(try await queue("add", "-T", "source", url.absoluteString).status == 0) }
        var status: Int32 = -1
        var kills = 0
        while status != 0, kills < (wanted ?? 0) + 200 {
            let rate = wanted == nil ? "6M" : "1M"
            let process = try FerryProcess(["queue", "--dir", "q", "run", "-s", "--limit-rate", rate], in: folder)
            let most = kills < wanted ?? 12 ? 400 : 20_000
            let end = Task {
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...most)))
                process.send(SIGKILL)
            }
            status = try await process.outcome().status
            end.cancel()
            if status != 0 { kills += 1 }
            for name in names where folder.data(name) != nil {
                #expect(folder.data(name) == LoopbackServer.pattern(count: Self.count))
            }
        }
        #expect(status == 0)
        #expect(kills >= wanted ?? 3)
        #expect(folder.names == names.sorted() + ["q", "source"])
        let lines = try await list()
        #expect(lines == (1...names.count + kinds.count).map { "\($0) finished \(Self.count) \(Self.count)" })
        for url in uploads {
            let received = try await peer.received(at: url)
            #expect(received.isComplete && received.completed == 1 && received.count == Self.count)
            #expect(received.sha256 == content.sha256)
        }
        #expect(folder.names(in: "q") == ["journal", "run.lock"])
    }
}

extension TemporaryFolder {
    fileprivate func names(in name: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
    }
}
