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
            "$FERRY -s \(option) pipe \(url("/cookies/set?a=1")) >/dev/null & sleep 0.1; cat pipe; wait $!"
        )
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.text.contains(text), "\(outcome.text)")
    }

    @Test("A pipe whose reader ends early fails its transfer, and not the others")
    func earlyEnd() async throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let urls = "\(url("/bytes/1000000")) \(url("/bytes/5"))"
        let outcome = try await bash("head -c 5 pipe >/dev/null & $FERRY -s -o pipe -o b \(urls)")
        #expect(outcome.status == 23 && outcome.errors.contains("pipe: cannot be written"), "\(outcome.errors)")
        #expect(folder.data("b")?.count == 5)
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

    @Test("Standard input is read from where it is, also if it is a file", arguments: ["-T -", "-d @-", "-F f=@-"])
    func partlyRead(_ option: String) async throws {
        try folder.file("file", "first\nsecond")
        let outcome = try await bash("{ read line; $FERRY -s \(option) \(url("/echo")); } <file")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let body = String(decoding: try #require(server.requests.last).body, as: UTF8.self)
        #expect(body.contains("second") && !body.contains("first"), "\(body)")
    }

    @Test("A socket can be standard input", arguments: ["-T -", "-d @-"])
    func socket(_ option: String) async throws {
        let port = try #require(server.url.port)
        let outcome = try await bash(
            """
            exec 3<>/dev/tcp/127.0.0.1/\(port)
            printf 'GET /bytes/5 HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' >&3
            $FERRY -s \(option) \(url("/echo")) <&3
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let body = String(decoding: try #require(server.requests.last).body, as: UTF8.self)
        #expect(body.hasPrefix("HTTP/1.1 200"), "\(body)")
    }

    @Test("-T - sends lines as they come, on one connection, until a signal ends it") func live() async throws {
        let received = Watched("")
        let connections = Watched(0)
        let server = try RawServer { connection in
            connections.change { $0 += 1 }
            while connection.readMore() {
                let text = String(decoding: connection.received, as: UTF8.self)
                received.change { $0 = text }
            }
        }
        let input = Pipe()
        let process = try FerryProcess(
            ["-s", "-T", "-", server.url().absoluteString],
            in: folder,
            standardInput: input.fileHandleForReading
        )
        for line in ["one", "two"] {
            try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
            try await received.wait { $0.hasSuffix("4\r\n\(line)\n\r\n") }
        }
        process.send(SIGINT)
        #expect(try await process.outcome().status == -SIGINT)
        #expect(connections.current == 1)
    }

    @Test("Standard input is the body for every URL") func severalURLs() async throws {
        let outcome = try await bash("printf a=1 | $FERRY -s -d @- \(url("/echo?1")) \(url("/echo?2"))")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["a=1", "a=1"])
    }

    @Test("What can be read only once is not uploaded to several URLs", arguments: ["-", "/dev/fd/0", "pipe"])
    func uploadedOnce(_ name: String) async throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        try folder.file("urls", url("/echo?2") + "\n")
        for line in ["\(url("/echo?1")) \(url("/echo?2"))", "\(url("/echo?1")) --batch urls"] {
            let outcome = try await bash("printf abc | $FERRY -s -T \(name) \(line)")
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("can be read only once"), "\(outcome.errors)")
            #expect(outcome.errorLines.count == 1)
        }
        #expect(server.requestCount == 0)
    }

    @Test(
        "The deadline ends a transfer whose output is not read, also if the whole body has arrived",
        arguments: [100_000, 5_000_000]
    )
    func unreadOutput(_ count: Int) async throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        let target = url("/bytes/\(count)")
        let outcome = try await bash(
            "exec 3<>pipe; $FERRY -s --deadline 1 -w '%{http_code}' \(target) >&3; echo $?"
        )
        #expect(outcome.text == "28\n")
        #expect(outcome.errors == "ferry: \(target): timed out: the transfer took longer than --deadline\n")
    }

    @Test("A body is written whole before the deadline, as its reader takes it")
    func slowReader() async throws {
        let outcome = try await bash("$FERRY -s --deadline 25 \(url("/bytes/300000")) | { sleep 0.2; cat >body; }")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(folder.data("body") == LoopbackServer.pattern(count: 300_000))
    }

    @Test(
        "A descriptor that is closed from the start is an error where it is used",
        arguments: [
            ("$FERRY -s ${URL}bytes/5 <&- >&-", "standard output: cannot be written"),
            ("$FERRY -s -o file -w '%{http_code}' ${URL}bytes/5 <&- >&-", "standard output: cannot be written"),
            ("$FERRY --version >&-", "standard output: cannot be written"),
            ("$FERRY demo >&-", "standard output: cannot be written"),
            ("$FERRY -s -d @- ${URL}echo <&-", "-: cannot be read"),
        ]
    )
    func closed(_ line: String, _ text: String) async throws {
        let outcome = try await bash(line)
        #expect(outcome.status == 23 && outcome.output.isEmpty, "\(outcome.status)")
        #expect(outcome.errors == "ferry: \(text): Bad file descriptor\n")
        #expect(folder.names.isEmpty || folder.data("file") == LoopbackServer.pattern(count: 5))
    }

    @Test("A file does not become a descriptor that is closed from the start") func allClosed() async throws {
        let outcome = try await bash("$FERRY -v -o file -D head ${URL}bytes/500000 <&- >&- 2>&-")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(folder.data("file") == LoopbackServer.pattern(count: 500_000))
        #expect(folder.text("head")?.hasPrefix("HTTP/1.1 200") == true)
    }

    @Test("An ignored signal stays ignored") func ignored() async throws {
        let target = url("/bytes/200000?rate=50000")
        let outcome = try await bash(
            """
            (trap '' INT TERM; exec $FERRY -s -o file '\(target)') &
            until [ -s file.part ]; do sleep 0.05; done
            kill -INT $!; kill -TERM $!; wait $!
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(folder.data("file")?.count == 200_000)
    }

    @Test("An interrupted command ends the loop of an interrupted shell") func loop() async throws {
        let target = url("/bytes/1000000?rate=100000")
        // The signal goes to the shell and the command, as from a terminal.
        let outcome = try await bash(
            """
            set -m
            bash -c 'for i in 1 2 3; do $FERRY -s -o file "\(target)"; echo "$i: $?"; done' &
            until [ -s file.part ]; do sleep 0.05; done
            kill -INT -$!; wait $!; echo $?
            """
        )
        #expect(outcome.text == "130\n", "\(outcome.text)\(outcome.errors)")
    }

    @Test("An argument that is not UTF-8 is an error") func notText() async throws {
        let outcome = try await bash("$FERRY -s -o $'caf\\xe9' \(url("/bytes/1"))")
        #expect(outcome.status == 2)
        #expect(outcome.errors == "ferry: Argument 3 is not UTF-8 text: caf\u{FFFD}\n")
        #expect(server.requestCount == 0)
    }
}
