import BenchmarkSupport
import Foundation

/// The report of a run.
struct Report {
    let workloads: [Workload]
    let targets: [Target]
    let results: Results
    let machine: Machine
    let rounds: Int
    let isQuick: Bool
    let started: Date

    /// Writes the report as Markdown and as JSON.
    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(markdown.utf8).write(to: folder.appending(path: "benchmarks.md"), options: .atomic)
        try json().write(to: folder.appending(path: "benchmarks.json"), options: .atomic)
    }

    var date: String { started.formatted(.iso8601) }

    /// The targets whose workloads were run, with their judgements.
    var judgements: [(target: Target, judgement: Judgement)] {
        let names = Set(workloads.map(\.id))
        return targets.filter { names.contains($0.subject.workload) }.map { ($0, $0.judge(results)) }
    }
}
