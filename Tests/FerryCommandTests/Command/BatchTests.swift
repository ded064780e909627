import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

@Suite(
    "Batches of URLs",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct BatchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("The URLs of a file are transferred in parallel, after those of the command line")
    func files() async throws {
        let server = try LoopbackServer()
        let lines = (1...12).map { server.url("/bytes/\($0)000").absoluteString }
        try folder.file("urls", "# first\n\n" + lines.joined(separator: "\r\n") + "\n")
        let outcome = try await FerryProcess.run(
            ["-sO", "-P", "4", "--batch", "urls", server.url("/bytes/7").absoluteString],
            in: folder
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(folder.names == (["7", "urls"] + (1...12).map { "\($0)000" }).sorted())
        #expect(folder.data("12000") == LoopbackServer.pattern(count: 12_000))
        #expect(server.requestCount == 13)
    }

    @Test("Standard input can be a batch, a failed transfer does not affect others, and an empty batch succeeds")
    func standardInput() async throws {
        let server = try LoopbackServer()
        let urls = ["/bytes/3", "/status/404", "/bytes/4"].map { server.url($0).absoluteString }
        let outcome = try await FerryProcess.run(
            ["-sf", "--batch", "-"],
            in: folder,
            input: urls.joined(separator: "\n")
        )
        #expect(outcome.status == 22)
        #expect(outcome.output == LoopbackServer.pattern(count: 3) + LoopbackServer.pattern(count: 4))
        try folder.file("urls", "# nothing\n")
        #expect(try await FerryProcess.run(["--batch", "urls"], in: folder).status == 0)
    }

    @Test("An indented line names the file of the URL before it, also in a queue")
    func names() async throws {
        let server = try LoopbackServer()
        let urls = (1...3).map { server.url("/bytes/\($0)000").absoluteString }
        try folder.file("urls", "\(urls[0])\n  out=one\n\(urls[1])\n\(urls[2])\n\tout=three\n")
        let plain = try await FerryProcess.run(
            ["-sO", "--output-dir", "a", "--create-dirs", "--batch", "urls"],
            in: folder
        )
        #expect(plain.status == 0, "\(plain.errors)")
        for name in ["a/one", "a/2000", "a/three"] { #expect(folder.data(name)?.isEmpty == false, "\(name)") }
        let added = try await FerryProcess.run(["queue", "--dir", "q", "add", "--batch", "urls"], in: folder)
        #expect(added.status == 0, "\(added.errors)")
        let run = try await FerryProcess.run(["queue", "--dir", "q", "run", "-s"], in: folder)
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.data("three") == LoopbackServer.pattern(count: 3_000))
        #expect(folder.data("2000") == LoopbackServer.pattern(count: 2_000))
        for text in [" out=x\n", "\(urls[0])\n out=\n", "\(urls[0])\n out=a\n out=b\n"] {
            try folder.file("urls", text)
            let outcome = try await FerryProcess.run(["-sO", "--batch", "urls"], in: folder)
            #expect(outcome.status == 2 && outcome.errors.contains("urls, line \(text.split(separator: "\n").count)"))
        }
    }

    @Test("--continue needs a file for each URL of a batch, and the command for continuing has its name")
    func continued() async throws {
        let server = try LoopbackServer()
        let urls = ["/bytes/3", "/truncate?bytes=100000&after=50000"].map { server.url($0).absoluteString }
        try folder.file("urls", "\(urls[0])\n out=a\n\(urls[1])\n")
        let refused = try await FerryProcess.run(["--continue", "--batch", "urls"], in: folder)
        #expect(refused.status == 2 && refused.errors.contains("--continue needs a file"), "\(refused.errors)")
        #expect(server.requestCount == 0)
        try folder.file("urls", "\(urls[0])\n out=a\n\(urls[1])\n out=b c\n")
        let outcome = try await FerryProcess.run(["--continue", "--batch", "urls"], in: folder)
        #expect(outcome.status == 7 && folder.data("a")?.count == 3, "\(outcome.errors)")
        #expect(outcome.errorLines.last?.hasSuffix(" -C -o 'b c' '\(urls[1])'") == true, "\(outcome.errors)")
    }

    @Test("The bodies of a batch on standard output are asked for with a coding, and decoded")
    func decodes() async throws {
        let server = try LoopbackServer()
        try folder.file("urls", server.url("/gzip?bytes=5000").absoluteString + "\n")
        let outcome = try await FerryProcess.run(["-s", "--batch", "urls"], in: folder)
        #expect(outcome.status == 0 && outcome.output == LoopbackServer.pattern(count: 5_000))
        #expect(server.requests.last?.header("Accept-Encoding")?.contains("gzip") == true)
    }

    @Test("A batch that cannot be read, or has an invalid line, is an error before anything is sent")
    func errors() async throws {
        let server = try LoopbackServer()
        try folder.file("urls", "\(server.url("/bytes/3").absoluteString)\nftp://a/b\n")
        let wrong = try await FerryProcess.run(["--batch", "urls"], in: folder)
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("urls, line 2: "))
        let missing = try await FerryProcess.run(["--batch", "missing"], in: folder)
        #expect(missing.status == 23)
        #expect(server.requestCount == 0)
    }

    @Test(
        "The command for continuing after an interruption names the unfinished URLs of a batch",
        arguments: [true, false]
    )
    func interrupted(_ isFile: Bool) async throws {
        let server = try LoopbackServer()
        let slow = server.url("/bytes/1000000?rate=125000").absoluteString
        let list = [server.url("/bytes/3").absoluteString, slow].joined(separator: "\n")
        try folder.file("urls", list)
        let process = try FerryProcess(
            ["-O", "--batch", isFile ? "urls" : "-"],
            in: folder,
            input: isFile ? nil : list
        )
        try await folder.waitForSize(of: "1000000.part", atLeast: 100_000)
        process.send(SIGINT)
        let outcome = try await process.outcome()
        #expect(outcome.status == -SIGINT)
        #expect(
            outcome.errorLines.last == "ferry: to continue: \(FerryProcess.path ?? "") --continue -O '\(slow)'"
        )
        let next = try await FerryProcess.run(["--continue", "-sO", slow], in: folder)
        #expect(next.status == 0, "\(next.errors)")
        #expect(folder.data("1000000") == LoopbackServer.pattern(count: 1_000_000))
        #expect(server.requestCount == 3)
    }
}
