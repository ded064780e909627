import FerryTesting
import Foundation
import Testing
import WebSocketSupport

@testable import FerryCommand

@Suite(
    "ferry ws",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .enabled(if: WebSocketPeer.isWanted, "Needs python3 with websockets"),
    .timeLimit(.minutes(5))
)
struct WebSocketCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a line of bash, in which `$FERRY` is the command, `$URL` the server's, and `input` a pipe without an end.
    private func bash(_ line: String, _ path: String, _ options: [String] = []) async throws -> FerryProcess.Outcome {
        if mkfifo(folder.path("input"), 0o600) != 0 { #expect(errno == EEXIST) }
        let environment = try [
            "FERRY": #require(FerryProcess.path), "URL": WebSocketPeer.shared().url(path).absoluteString,
        ]
        return try await FerryProcess.run(
            ["30", "/bin/bash", "-c", line, "bash"] + options,
            in: folder,
            environment: environment,
            program: "/usr/bin/timeout"
        )
    }

    /// Runs the command, which a server ends.
    private func run(_ path: String, _ options: [String] = []) async throws -> FerryProcess.Outcome {
        try await bash("exec \"$FERRY\" ws \"$@\" \"$URL\" 0<>input", path, options)
    }

    /// Returns a line that sends text, and ends the input when the server has answered with some lines.
    private func exchange(_ text: String, lines: Int) -> String {
        "{ printf '\(text)'; while [ $(wc -l <out) -lt \(lines) ]; do sleep 0.05; done; } "
            + "| \"$FERRY\" ws \"$URL\" >out; status=$?; cat out; exit $status"
    }

    @Test("Lines are sent, messages are written, and the end of the input ends the connection")
    func lines() async throws {
        let outcome = try await bash(">out; " + exchange("one\\r\\ntwo\\n\\nκόσμε\\n", lines: 4), "echo")
        #expect(outcome.text == "one\ntwo\n\nκόσμε\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("A time limit ends the connection") func timeLimit() async throws {
        let outcome = try await run("echo", ["-m", "0.5"])
        #expect(outcome.status == 28 && outcome.errors.contains("--max-time"), "\(outcome.errors)")
    }

    @Test("A last line without an end is sent too, and an input without lines closes the connection")
    func lastLine() async throws {
        let outcome = try await bash("printf last | \"$FERRY\" ws \"$URL\"", "echo")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try await bash("\"$FERRY\" ws \"$URL\" </dev/null", "echo").status == 0)
    }

    @Test("Many lines come back in order")
    func manyLines() async throws {
        let line =
            ">out; { seq 20000; while [ $(wc -l <out) -lt 20000 ]; do sleep 0.05; done; } "
            + "| \"$FERRY\" ws \"$URL\" >out; echo $?; seq 20000 | cmp - out"
        #expect(try await bash(line, "echo").text == "0\n")
    }

    @Test("Binary messages are base64, or unchanged with --binary")
    func binary() async throws {
        #expect(try await run("binary").text == "base64:AP8K\n")
        #expect(try await run("binary", ["--binary"]).output == Data([0, 255, 10]))
    }

    @Test("Fields and credentials go with the handshake")
    func fields() async throws {
        let outcome = try await bash(
            ">out; { while [ ! -s out ]; do sleep 0.05; done; } | \"$FERRY\" ws \"$@\" \"$URL\" >out; cat out",
            "fields",
            ["-H", "X-Mine: yes", "-u", "ada:love"]
        )
        let fields = try JSONDecoder().decode([String: String].self, from: outcome.output)
        #expect(fields["x-mine"] == "yes")
        #expect(fields["authorization"] == "Basic YWRhOmxvdmU=")
        #expect(try await run("login", ["-u", "eve:hate"]).status == 22)
    }

    @Test("Another close code is an error with its reason; 1000 is none")
    func closeCodes() async throws {
        let failed = try await run("close/4321/because", ["--ping", "60"])
        #expect(failed.status == 1)
        #expect(failed.errors.contains("4321"), "\(failed.errors)")
        #expect(try await run("close/1000/done").status == 0)
    }

    @Test("A refusal and a lost connection have their own statuses")
    func failures() async throws {
        #expect(try await run("refuse/403").status == 22)
        #expect(try await run("drop").status != 0)
        let unreachable = try await FerryProcess.run(["ws", "ws://127.0.0.1:1/"], in: folder)
        #expect(unreachable.status == 7)
    }

    @Test("SIGINT closes the connection and ends the command")
    func interruption() async throws {
        let url = try WebSocketPeer.shared().url("fields").absoluteString
        // It reads from a pipe that has no end.
        #expect(mkfifo(folder.path("input"), 0o600) == 0)
        let process = try FerryProcess(
            ["-c", "exec \"$FERRY\" ws \"$URL\" 0<>input"],
            in: folder,
            environment: ["FERRY": try #require(FerryProcess.path), "URL": url],
            program: "/bin/bash"
        )
        try await eventually("a message") { !process.outputSoFar.isEmpty }
        process.send(SIGINT)
        let outcome = try await process.outcome()
        #expect(outcome.status == -SIGINT)
        #expect(outcome.errors.isEmpty)
    }

    @Test(
        "Options that do not belong together are refused",
        arguments: [
            ["ws"], ["ws", "ws://a/", "ws://b/"], ["ws", "-d", "x", "ws://a/"], ["ws", "-o", "f", "ws://a/"],
            ["ws", "-i", "ws://a/"], ["ws", "--json-log", "-", "ws://a/"], ["ws", "--no-redirect", "ws://a/"],
            ["ws", "-c", "jar", "ws://a/"], ["ws", "-w", "x", "ws://a/"], ["ws", "-C", "ws://a/"],
            ["ws", "ftp://a/"], ["--ping", "1", "http://a/"], ["--binary", "http://a/"], ["ws://a/"],
        ]
    )
    func usage(_ arguments: [String]) {
        #expect(throws: UsageError.self) { try Action(parsing: arguments) }
    }
}
