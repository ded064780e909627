import Ferry
import FerryTesting

/// The demonstration that `ferry demo` runs, against a server in the same process.
struct Demo: Sendable {
    let server: LoopbackServer
    let session: CurlSession
    let console: Console
    let board: ProgressBoard
    let folder: URL

    static func run() async -> ExitStatus {
        let terminal = Terminal(STDOUT_FILENO)
        let console = Console(terminal)
        let watcher = SignalWatcher()
        let work = Task {
            do {
                return try await Demo(console).run()
            } catch {
                console.error(error.localizedDescription)
                return ExitStatus.failedCheck
            }
        }
        watcher.start { work.cancel() }
        let status = await work.value
        return watcher.interruption ?? status
    }

    private init(_ console: Console) throws {
        var configuration = LoopbackServer.Configuration()
        // With a small receive buffer, the server's rate limits the client.
        configuration.receiveBufferSize = 65_536
        server = try LoopbackServer(configuration: configuration)
        session = CurlSession(configuration: .ephemeral)
        self.console = console
        board = ProgressBoard(console, mode: console.terminal.canRedraw ? .bar : .lines)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID.random.uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func run() async -> ExitStatus {
        defer { try? FileManager.default.removeItem(at: folder) }
        let style = console.terminal.style
        let curl = (try? CurlRuntime.current()).map { ", \($0)" } ?? ""
        console.line(style.bold("Ferry \(Version.ferry)") + curl + ", against \(server.url)")
        let steps: [(title: String, run: @Sendable () async throws -> DemoFinding)] = [
            ("A data task", fetchData),
            ("An upload", upload),
            ("A download, suspended and resumed", downloadWithPause),
            ("A download, cancelled and continued", downloadWithBreak),
        ]
        var findings: [DemoFinding] = []
        for (number, step) in steps.enumerated() where !Task.isCancelled {
            console.line("\n" + style.bold("\(number + 1). " + step.title))
            let start = ContinuousClock.now
            var finding: DemoFinding
            do {
                finding = try await step.run()
            } catch {
                finding = DemoFinding(holds: false, text: error.localizedDescription)
            }
            finding.seconds = (ContinuousClock.now - start) / .seconds(1)
            findings.append(finding)
            if !finding.holds { say(finding.text) }
        }
        session.invalidateAndCancel()
        let allHold = findings.count == steps.count && findings.allSatisfy(\.holds)
        let end = allHold ? "All steps passed. ferry --help shows what else the command does." : "Not all steps passed."
        let shown = await Command.show("\n\(table(steps.map(\.title), findings))\n\(end)\n", Console())
        return allHold ? shown : .failedCheck
    }

    func say(_ text: String) { console.line("   " + text) }

    /// Returns the table of steps at the end of the demonstration.
    private func table(_ titles: [String], _ findings: [DemoFinding]) -> String {
        let style = console.terminal.style
        let titleWidth = titles.map(\.count).max() ?? 0
        let findingWidth = findings.map(\.text.count).max() ?? 0
        return zip(titles, findings).map { title, finding in
            let start = title.padding(toLength: titleWidth, withPad: " ", startingAt: 0)
            let text = finding.text.padding(toLength: findingWidth, withPad: " ", startingAt: 0)
            let verdict = finding.holds ? style.green("passed") : style.red("failed")
            return "\(start)  \(text)  \(String(format: "%5.2f s", finding.seconds))  \(verdict)"
        }.joined(separator: "\n")
    }
}

/// The result of a step: whether it passed, what was observed, and the duration.
struct DemoFinding: Sendable {
    var holds: Bool
    var text: String
    var seconds = 0.0
}
