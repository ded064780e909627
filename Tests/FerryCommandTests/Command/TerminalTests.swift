import FerryTesting
import Foundation
import Testing

@Suite(
    "Pipes and terminals",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct TerminalTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    @Test("A reader that closes its pipe ends the command with 141 and no message")
    func brokenPipe() async throws {
        let pipe = Pipe()
        let process = try FerryProcess(
            [server.url("/bytes/50000000").absoluteString],
            in: folder,
            output: pipe.fileHandleForWriting
        )
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.read(upToCount: 1000)?.count == 1000)
        try pipe.fileHandleForReading.close()
        let outcome = try await process.outcome()
        #expect(outcome.status == 141)
        #expect(outcome.errors.isEmpty)
    }

    @Test("A slow reader slows down the server")
    func backPressure() async throws {
        let pipe = Pipe()
        let size = 64_000_000
        let process = try FerryProcess(
            [server.url("/bytes/\(size)").absoluteString],
            in: folder,
            output: pipe.fileHandleForWriting
        )
        try pipe.fileHandleForWriting.close()
        try await server.waitForRequests(1, timeout: 40 * patience)
        // No event announces that the command has stopped reading: the server gets a moment to send too much.
        try await Task.sleep(for: .milliseconds(700))
        #expect(server.sentByteCount < size / 3)
        var hash = SHA256Hash()
        while let data = try pipe.fileHandleForReading.read(upToCount: 1 << 20), !data.isEmpty { hash.update(data) }
        #expect(hash.digest.hexadecimal == LoopbackServer.patternSHA256(count: size))
        #expect(try await process.outcome().status == 0)
    }

    @Test("A reader that stops reading does not keep SIGINT from ending the command")
    func interruptedWhileBlocked() async throws {
        let pipe = Pipe()
        let process = try FerryProcess(
            [server.url("/bytes/50000000").absoluteString],
            in: folder,
            output: pipe.fileHandleForWriting
        )
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.read(upToCount: 10)?.count == 10)
        process.send(SIGINT)
        let outcome = try await process.outcome()
        #expect(outcome.status == -SIGINT, "\(outcome.status) \(outcome.errors)")
        withExtendedLifetime(pipe) {}
    }

    @Test("Progress to a file is one line a second, and a last one at the end")
    func lines() async throws {
        let url = server.url("/bytes/300000?rate=120000").absoluteString
        let start = ContinuousClock.now
        let outcome = try await FerryProcess.run(["-o", "x.bin", url], in: folder)
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        let lines = outcome.errorLines
        #expect((2...seconds + 2).contains(lines.count), "\(lines)")
        #expect(lines.first?.hasPrefix("x.bin: ") == true && lines.first?.contains(" of 300 kB (") == true)
        #expect(lines.last?.hasPrefix("x.bin: 300 kB in ") == true)
        #expect(!outcome.errors.contains("\r") && !outcome.errors.contains("\u{1B}"))
    }

    @Test("Progress on a terminal is a bar, in colour unless NO_COLOR is set", arguments: [true, false])
    func bar(_ hasColor: Bool) async throws {
        let terminal = try PseudoTerminal(columns: 90)
        let url = server.url("/bytes/300000?rate=500000").absoluteString
        let environment = ["TERM": "xterm", "LANG": "C"].merging(hasColor ? [:] : ["NO_COLOR": "1"]) { $1 }
        let process = try FerryProcess(
            ["-o", "x.bin", url],
            in: folder,
            environment: environment,
            errors: terminal.handle
        )
        #expect(try await process.outcome().status == 0)
        let text = try terminal.text()
        #expect(text.contains("\r\u{1B}[K"))
        #expect(text.contains("====") && text.contains("----") && text.contains(" kB/s"))
        #expect(text.contains("\u{1B}[1;36m") == hasColor)
        #expect(text.contains("x.bin: 300 kB in "))
    }

    @Test("JSON is indented for a terminal, and only there", arguments: [true, false])
    func json(_ isTerminal: Bool) async throws {
        let text = #"{"b":[1.0,2],"a":{}}"#
        let own = try LoopbackServer { _ in .json(text) }
        guard isTerminal else {
            #expect(try await FerryProcess.run([own.url.absoluteString], in: folder).text == text)
            return
        }
        let terminal = try PseudoTerminal(columns: 90)
        let process = try FerryProcess([own.url.absoluteString], in: folder, output: terminal.handle)
        #expect(try await process.outcome().status == 0)
        // The terminal turns a line break into two characters.
        #expect(
            try terminal.text().replacing("\r\n", with: "\n")
                == "{\n  \"b\": [\n    1.0,\n    2\n  ],\n  \"a\": {}\n}\n"
        )
    }

    @Test("The beginning of JSON is shown on a terminal if the rest does not come") func incompleteJSON() async throws {
        let server = try LoopbackServer { _ in
            .json(#"{"a":[1,"bcd"]}"#).faulted(.truncate(afterBodyBytes: 11))
        }
        let terminal = try PseudoTerminal(columns: 80)
        let process = try FerryProcess(["-s", server.url.absoluteString], in: folder, output: terminal.handle)
        let outcome = try await process.outcome()
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(try terminal.text().contains("\"bc"))
    }

    @Test("JSON on a terminal has colours unless NO_COLOR is set", arguments: [true, false])
    func coloredJSON(_ hasColor: Bool) async throws {
        let own = try LoopbackServer { _ in .json(#"{"a":"b"}"#) }
        let terminal = try PseudoTerminal(columns: 90)
        let environment = ["TERM": "xterm"].merging(hasColor ? [:] : ["NO_COLOR": "1"]) { $1 }
        let process = try FerryProcess(
            [own.url.absoluteString],
            in: folder,
            environment: environment,
            output: terminal.handle
        )
        #expect(try await process.outcome().status == 0)
        let text = try terminal.text()
        #expect(text.contains("\u{1B}[1;36m\"a\"\u{1B}[0m: \u{1B}[32m\"b\"\u{1B}[0m") == hasColor, "\(text)")
        #expect(text.contains("\u{1B}") == hasColor)
    }

    @Test("Without arguments the command prints its usage on standard error, and ends with 2")
    func usage() async throws {
        let outcome = try await FerryProcess.run([], in: folder)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Usage: ferry [options] [METHOD] URL..."))
        #expect(outcome.errors.contains("ferry demo") && outcome.errors.contains("ferry --help"))
    }

    @Test("ferry demo demonstrates the library, and everything holds")
    func demonstration() async throws {
        let outcome = try await FerryProcess.run(["demo"], in: folder, environment: ["TMPDIR": folder.url.path])
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.text.contains("All steps passed."))
        #expect(outcome.text.split(separator: "\n").filter { $0.hasSuffix("  passed") }.count == 4)
        #expect(folder.names.isEmpty)
    }

    @Test("--help and --version print to standard output")
    func texts() async throws {
        let help = try await FerryProcess.run(["--help"], in: folder)
        #expect(help.status == 0)
        #expect(help.text.hasPrefix("Usage: ferry [options] [METHOD] URL..."))
        let version = try await FerryProcess.run(["-V"], in: folder)
        #expect(version.text.hasPrefix("ferry 0.1.0\nlibcurl "))
    }
}
