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
        var outcomes: [DemoOutcome] = []
        for (number, step) in steps.enumerated() where !Task.isCancelled {
            console.line("\n" + style.bold("\(number + 1). " + step.title))
            let outcome = await DemoOutcome.of(step.title, step.run)
            outcomes.append(outcome)
            if !outcome.holds { console.line("   " + outcome.finding) }
        }
        session.invalidateAndCancel()
        let allHold = outcomes.count == steps.count && outcomes.allSatisfy(\.holds)
        let end = allHold ? "All steps passed. ferry --help shows what else the command does." : "Not all steps passed."
        let shown = await Command.show("\n\(DemoTable.text(outcomes, style: style))\n\(end)\n", Console())
        return allHold ? shown : .failedCheck
    }

    func say(_ text: String) { console.line("   " + text) }
}

/// The result of a step: whether it passed, and what was observed.
struct DemoFinding: Sendable {
    var holds: Bool
    var text: String
}

/// A finished step, with its duration.
struct DemoOutcome: Equatable, Sendable {
    var title: String
    var finding: String
    var seconds: Double
    var holds: Bool

    static func of(_ title: String, _ step: @Sendable () async throws -> DemoFinding) async -> DemoOutcome {
        let start = ContinuousClock.now
        let finding: DemoFinding
        do {
            finding = try await step()
        } catch {
            finding = DemoFinding(holds: false, text: error.localizedDescription)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return DemoOutcome(title: title, finding: finding.text, seconds: seconds, holds: finding.holds)
    }
}

/// The table of steps at the end of the demonstration.
enum DemoTable {
    static func text(_ outcomes: [DemoOutcome], style: TextStyle) -> String {
        let titleWidth = outcomes.map(\.title.count).max() ?? 0
        let findingWidth = outcomes.map(\.finding.count).max() ?? 0
        return outcomes.map { outcome in
            let time = String(format: "%5.2f s", outcome.seconds)
            let verdict = outcome.holds ? style.green("passed") : style.red("failed")
            let title = outcome.title.padding(toLength: titleWidth, withPad: " ", startingAt: 0)
            let finding = outcome.finding.padding(toLength: findingWidth, withPad: " ", startingAt: 0)
            return "\(title)  \(finding)  \(time)  \(verdict)"
        }.joined(separator: "\n")
    }
}
