import FerryTesting
import Foundation
import Testing

/// Options whose file is a pipe or one of the process's own descriptors.
@Suite(
    "Pipes and descriptors",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct PipeTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    private func url(_ target: String) -> String { server.url(target).absoluteString }

    /// Runs a command line of bash in which `$FERRY` is the command.
    private func bash(_ line: String) async throws -> FerryProcess.Outcome {
        let environment = ["FERRY": try #require(FerryProcess.path), "URL": url("")]
        return try await FerryProcess.run(
            ["30", "/bin/bash", "-c", line],
            in: folder,
            environment: environment,
            program: "/usr/bin/timeout"
        )
    }

    @Test(
        "A pipe that no program reads is an error with its name",
        arguments: ["-c", "-o", "-D", "--json-log"]
    )
    func unread(_ option: String) async throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let outcome = try await bash("$FERRY -s \(option) pipe \(url("/cookies/set?a=1"))")
        #expect(outcome.status == 23, "\(outcome.errors)")
        #expect(outcome.errorLines.last == "ferry: pipe: no program reads this pipe", "\(outcome.errors)")
    }

    @Test(
        "A pipe is written to once a program reads it",
        arguments: [("-c", "127.0.0.1\t"), ("-o", "{"), ("-D", "HTTP/1.1 200"), ("--json-log", "\"exit\"")]
    )
    func read(_ option: String, _ text: String) async throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let outcome = try await bash(
            "$FERRY -s \(option) pipe \(url("/cookies/set?a=1")) >/dev/null & sleep 0.3; cat pipe; wait $!"
        )
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.text.contains(text), "\(outcome.text)")
    }

    @Test("/dev/stdout and /dev/fd/3 are the descriptors, whose file is neither replaced nor written over")
    func descriptors() async throws {
        let target = url("/cookies/set?a=1")
        let body = try await bash("$FERRY -s \(target)").text
        let lines = [
            "-c /dev/stdout", "-D /dev/stdout", "-o /dev/stdout -D /dev/stderr", "-D /dev/fd/1", "-o /dev/fd/1",
            "-o /proc/self/fd/1", "--json-log /dev/fd/1",
        ]
        for line in lines {
            let outcome = try await bash(
                "{ echo first; $FERRY -s \(line) \(target); echo last; } >file 2>errors && stat -c %h file"
            )
            let text = try #require(folder.text("file"))
            #expect(outcome.status == 0 && outcome.text == "1\n", "\(line)")
            #expect(text.hasPrefix("first\n") && text.hasSuffix("last\n"), "\(line): \(text)")
            #expect(text.contains(body), "\(line): \(text)")
            if line.hasPrefix("-c") { #expect(text.contains("\ta\t1\n"), "\(text)") }
            if line.hasPrefix("-D") { #expect(text.contains("HTTP/1.1 200"), "\(text)") }
        }
        let third = try await bash("$FERRY -so /dev/fd/3 -c /dev/fd/3 \(target) 3>>file; grep -c last file")
        #expect(third.text == "1\n")
        #expect(folder.text("file")?.contains("\ta\t1\n") == true)
        #expect(folder.names.sorted() == ["errors", "file"])
    }

    @Test("What a shell's process substitution gives can be read and written")
    func substitution() async throws {
        let cookie = #"127.0.0.1\tFALSE\t/\tFALSE\t0\tb\t2\n"#
        let lines = [
            ("-b <(printf '\(cookie)')", "Cookie: b=2"), ("-d @<(printf hello)", "hello"),
            ("-T <(printf hello)", "hello"),
            ("-F f=@<(printf hello)", "hello"), ("-K <(printf 'header = X-A:b')", "X-A: b"),
            ("--netrc-file <(printf 'machine 127.0.0.1 login a password b')", "Authorization: Basic YTpi"),
        ]
        for (line, text) in lines {
            let outcome = try await bash("$FERRY -s \(line) \(url("/echo"))")
            #expect(outcome.status == 0, "\(line): \(outcome.errors)")
            let request = try #require(server.requests.last)
            let head = request.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            #expect((head + "\n" + String(decoding: request.body, as: UTF8.self)).contains(text), "\(line): \(head)")
        }
        let outcome = try await bash("$FERRY -s -o >(cat >body) -c >(cat >jar) \(url("/cookies/set?a=1"))")
        #expect(outcome.status == 0, "\(outcome.errors)")
        try await eventually("both files") {
            folder.text("jar")?.contains("\ta\t1\n") == true && folder.text("body")?.isEmpty == false
        }
    }
}
