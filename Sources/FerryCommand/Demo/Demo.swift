import Ferry
import FerryTesting

/// The demonstration that `ferry` without arguments runs, against a server in the same process.
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
        // With a small receive buffer the server's rate limits the client.
        configuration.receiveBufferSize = 65_536
        server = try LoopbackServer(configuration: configuration)
        session = CurlSession(configuration: .ephemeral)
        self.console = console
        board = ProgressBoard(console, mode: console.terminal.canRedraw ? .bar : .lines)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
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
        console.line("\n" + DemoTable.text(outcomes, style: style))
        let allHold = outcomes.count == steps.count && outcomes.allSatisfy(\.holds)
        console.line(
            allHold ? "All steps passed. ferry --help shows what else the command does." : "Not all steps passed."
        )
        return allHold ? .success : .failedCheck
    }

    /// Prints an indented line.
    func say(_ text: String) {
        console.line("   " + text)
    }
}
