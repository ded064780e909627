import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

@Suite(
    "Reports",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct ReportTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    private func url(_ target: String) -> String {
        server.url(target).absoluteString
    }

    private func ferry(_ arguments: String...) async throws -> FerryProcess.Outcome {
        try await FerryProcess.run(arguments, in: folder)
    }

    /// Returns the events of a log with one event on each line.
    private func events(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    // MARK: - Formats and tables

    @Test("-w writes after each body, and after redirects, failures and local errors too")
    func writeOut() async throws {
        let format = #"\n%{http_code} %{num_redirects} %{size_download} %{exitcode} %{url_effective}\n"#
        let closed = try ClosedPort()
        let dead = closed.url.absoluteString
        let outcome = try await ferry("-sf", "-w", format, url("/redirect-to?url=/bytes/3"), url("/status/404"), dead)
        withExtendedLifetime(closed) {}
        #expect(outcome.status == 22)
        let pattern = String(decoding: LoopbackServer.pattern(count: 3), as: UTF8.self)
        let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.first == pattern)
        #expect(lines.dropFirst().first == "200 1 3 0 \(url("/bytes/3"))")
        #expect(lines.contains { $0.hasPrefix("404 0 ") && $0.hasSuffix(" 22 \(url("/status/404"))") })
        #expect(lines.contains("000 0 0 7 \(dead)"))
        try folder.file("format", "%{http_code}|")
        #expect(try await ferry("-s", "-o", "x", "-w", "@format", url("/bytes/3")).text == "200|")
        let local = try await ferry("-T", "missing", "-w", "%{http_code} %{exitcode} %{errormsg}", url("/echo"))
        #expect(local.text.hasPrefix("000 23 missing: cannot be read"))
    }

    @Test("Times are in chronological order")
    func times() async throws {
        let names = ["namelookup", "connect", "pretransfer", "starttransfer", "total"]
        let format = names.map { "%{time_\($0)}" }.joined(separator: " ")
        let outcome = try await ferry("-so", "x", "-w", format, url("/bytes/100000?rate=500000"))
        let times = outcome.text.split(separator: " ").compactMap { Double($0) }
        #expect(times.count == names.count && times == times.sorted(), "\(outcome.text)")
        #expect(try #require(times.last) > 0.05)
    }

    @Test("An unknown variable ends with 2 before anything is sent, and the error names it")
    func unknownVariable() async throws {
        let outcome = try await ferry("-w", "%{http_code} %{nonsense}", url("/echo"))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("%{nonsense}"))
        #expect(try await ferry("-w", "@missing", url("/echo")).status == 2)
        #expect(server.connectionCount == 0)
    }

    @Test("--timings prints a line for each request, on standard error")
    func timings() async throws {
        let outcome = try await ferry("-s", "--timings", url("/redirect-to?url=/bytes/3"), url("/status/404"))
        #expect(outcome.output.count >= 3)
        #expect(outcome.errorLines.count == 5, "\(outcome.errors)")
        #expect(outcome.errorLines[1].hasPrefix("status  queued"))
        let table = outcome.errorLines.dropFirst(2).map { $0.split(separator: " ").first.map(String.init) }
        #expect(table == ["302", "200", "404"])
    }

    // MARK: - The log

    @Test("A log on standard error has nothing else there, and reports all events")
    func standardErrorLog() async throws {
        let closed = try ClosedPort()
        let outcome = try await ferry(
            "--json-log",
            "-",
            "-o",
            "x",
            "-o",
            "y",
            "-o",
            "z",
            url("/redirect-to?url=/bytes/300000"),
            closed.url.absoluteString,
            url("/status/404")
        )
        withExtendedLifetime(closed) {}
        #expect(outcome.status == 7)
        let all = try self.events(outcome.errors)
        // On a busy machine the transfer takes more than a second, and has more than one progress.
        let events = all.indices.filter { index in
            let previous = index > 0 ? all[index - 1]["event"] as? String : nil
            return previous != "progress" || all[index]["event"] as? String != "progress"
        }.map { all[$0] }
        let names = events.map { $0["event"] as? String }
        #expect(
            names == [
                "start", "redirect", "response", "progress", "end", "start", "error", "end", "start", "response",
                "error", "end", "exit",
            ]
        )
        #expect(events.allSatisfy { ($0["time"] as? String)?.hasSuffix("Z") == true })
        #expect(events[0]["url"] as? String == url("/redirect-to?url=/bytes/300000"))
        #expect(events[1]["location"] as? String == url("/bytes/300000"))
        #expect(events[2]["content_length"] as? Int == 300_000)
        #expect(events[4]["size_download"] as? Int == 300_000)
        #expect((events[4]["requests"] as? [[String: Any]])?.count == 2)
        #expect(events[6]["code"] as? String == "network")
        #expect(events[6]["url_error"] as? Int == URLError.Code.cannotConnectToHost.rawValue)
        #expect(events[7]["exit_status"] as? Int == 7)
        #expect(events[10]["code"] as? String == "http" && events[10]["url_error"] is NSNull)
        let article = try Manual.article()
        let requests = events.flatMap { $0["requests"] as? [[String: Any]] ?? [] }
        for name in Set((events + requests).flatMap(\.keys) + names.compactMap(\.self)) {
            #expect(article.contains("`\(name)`"), "\(name) is not in the article")
        }
        let last = try #require(events.last)
        #expect(last["exit_status"] as? Int == 7)
        #expect(last["transfers"] as? Int == 3 && last["failed"] as? Int == 2)
    }

    @Test("Progress is logged at most once a second, with its direction")
    func progress() async throws {
        try folder.file("body", String(repeating: "x", count: 100_000))
        let sent = try await ferry("-s", "--json-log", "log", "-T", "body", url("/echo"))
        #expect(sent.status == 0)
        let up = try events(folder.text("log") ?? "").filter { $0["event"] as? String == "progress" }
        #expect(up.first?["direction"] as? String == "up")
        let outcome = try await ferry("-s", "--json-log", "log", "-o", "x", url("/bytes/300000?rate=120000"))
        #expect(outcome.errors.isEmpty)
        let down = try events(folder.text("log") ?? "").filter { $0["event"] as? String == "progress" }
        #expect((2...12).contains(down.count), "\(down)")
        #expect(down.allSatisfy { $0["total"] as? Int == 300_000 && $0["direction"] as? String == "down" })
    }

    @Test("A run that cannot start is logged too, and options that would write into the log are refused")
    func earlyErrors() async throws {
        let outcome = try await ferry("--json-log", "-", "--batch", "missing")
        #expect(outcome.status == 23)
        let events = try events(outcome.errors)
        #expect(events.map { $0["event"] as? String } == ["error", "exit"])
        #expect(events[0]["code"] as? String == "file")
        for option in ["--timings", "-v"] {
            let refused = try await ferry("--json-log", "-", option, url("/echo"))
            #expect(refused.status == 2)
        }
        #expect(try await ferry("--json-log", "no/folder", url("/echo")).status == 23)
        #expect(server.connectionCount == 0)
        #expect(try await ferry("-s", "--json-log", "/dev/full", url("/bytes/3")).status == 23)
    }

    @Test("A partial file that cannot be continued is logged as a retry")
    func retry() async throws {
        let target = url("/bytes/1000")
        try Data("old".utf8).write(to: folder.url.appendingPathComponent("x.part"))
        let validator = #""\"pattern-1000\"""#
        try folder.file("x.part.ferry", #"{"url":"\#(target)","validator":\#(validator),"length":5}"#)
        let outcome = try await ferry("-s", "-C", "--json-log", "log", "--timeline", "t.svg", "-o", "x", target)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let events = try events(folder.text("log") ?? "")
        #expect(events.contains { $0["event"] as? String == "retry" }, "\(events)")
        #expect(events.first { $0["event"] as? String == "end" }?["num_requests"] as? Int == 2)
        #expect(try Drawing(folder.text("t.svg") ?? "").elements("text", "f-url").count == 2)
    }

    @Test("An interrupted run is drawn too, and the command for continuing omits finished URLs")
    func interrupted() async throws {
        let slow = url("/bytes/1000000?rate=125000")
        let done = url("/bytes/10")
        let process = try FerryProcess(
            ["--timeline", "t.svg", "--json-log", "log", "-o", "done", "-o", "slow", done, slow],
            in: folder
        )
        try await folder.waitForSize(of: "slow.part", atLeast: 100_000)
        process.send(SIGINT)
        let outcome = try await process.outcome()
        #expect(outcome.status == -SIGINT)
        let ferry = FerryProcess.path ?? ""
        #expect(
            outcome.errorLines.last
                == "ferry: to continue: \(ferry) --continue --timeline t.svg --json-log log -o slow '\(slow)'"
        )
        let drawing = try Drawing(folder.text("t.svg") ?? "")
        #expect(drawing.elements("text", "f-url").map(\.text) == [done, slow])
        #expect(drawing.elements("text", "f-note").map(\.text) == ["interrupted"])
        let last = try #require(try events(folder.text("log") ?? "").last)
        #expect(last["event"] as? String == "exit" && last["code"] as? String == "interrupted")
    }
}
