import BenchmarkSupport
import Foundation

/// One run: builds, starts the servers, runs the clients round by round, and reports.
struct Run {
    /// Returns whether a workload's results for a client need no further round.
    typealias IsSettled = (_ workload: String, _ client: String, Results) -> Bool

    private let options: RunOptions
    private let sizes: Sizes

    init(_ options: RunOptions) {
        self.options = options
        sizes = Sizes(isQuick: options.isQuick)
    }

    /// Performs the run, and returns its results; a round leaves out what needs no further round.
    func perform(isSettled: IsSettled = { _, _, _ in false }) throws -> Results {
        let folder = try WorkFolder()
        defer { folder.remove() }
        Children.endOnSignals(removing: folder)
        defer { Children.killAll() }
        let workloads = options.workloads(sizes)
        let programs = Programs(folder: folder)
        if options.builds { try programs.build() }
        let nginx = try NginxServer(folder: folder, sizes: sizes)
        let sink = try SinkServer()
        sink.start()
        let runner = ClientRunner(folder: folder, programs: programs, nginx: nginx, sink: sink)
        let started = Date()
        let loadBefore = Machine.load

        var results = Results()
        var report: Report?
        for round in 0..<options.rounds {
            for workload in workloads {
                // Each round starts with another client, so that a client does not always follow the same one.
                let first = round % workload.clients.count
                for client in workload.clients[first...] + workload.clients[..<first] {
                    if isSettled(workload.id, client, results) { continue }
                    let outcome = runner.run(workload, client: client)
                    results.add(outcome, workload: workload.id, client: client)
                    progress(round, workload, client, outcome)
                }
            }
            // The report is written after each round, in case the run is ended early.
            let soFar = Report(
                workloads: workloads,
                targets: Target.all(sizes),
                results: results,
                machine: Machine(loadBefore: loadBefore),
                rounds: round + 1,
                isQuick: options.isQuick,
                started: started
            )
            try soFar.write(to: options.output)
            report = soFar
        }
        if let report {
            print("\n" + report.markdown)
            for article in options.articles { try article.update(report.summary) }
        }
        print("Saved as benchmarks.md and benchmarks.json in \(options.output.path)")
        return results
    }

    private func progress(_ round: Int, _ workload: Workload, _ client: String, _ outcome: Outcome) {
        let text: String
        if let sample = outcome.sample {
            let wall = Measure.wall.value(in: sample) ?? 0
            let cpu = Measure.cpu.value(in: sample) ?? 0
            text = "\(workload.unit.text(wall)), CPU \(workload.unit.text(cpu))"
        } else {
            text = outcome.reason ?? ""
        }
        FileHandle.standardError.write(Data("\(round + 1)/\(options.rounds) \(workload.id) \(client): \(text)\n".utf8))
    }
}
