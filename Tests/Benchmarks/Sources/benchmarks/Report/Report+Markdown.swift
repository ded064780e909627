import BenchmarkSupport
import Foundation

extension Report {
    /// The report as Markdown.
    var markdown: String {
        (heading + [targetTable] + workloads.map(section)).joined(separator: "\n\n") + "\n"
    }

    private var heading: [String] {
        let quick = isQuick ? "**A quick run, which shows that everything works, and measures nothing.**\n\n" : ""
        return [
            "# Ferry's benchmarks",
            """
            \(quick)\(date); \(machine.cores) cores, \(machine.processor), \(machine.kernel); \(machine.swift); \
            \(machine.libcurl); \(machine.nginx). Clients take turns; medians of \(rounds) \
            \(rounds == 1 ? "round" : "rounds"), ratios from within each round. The load average was \
            \(machine.loadBefore) before and \(machine.loadAfter) after.
            """,
        ]
    }

    private var targetTable: String {
        let judgements = judgements
        let words = ["met", "missed", "not measured"].map { word in
            "\(judgements.count { $0.judgement.word == word }) \(word)"
        }
        let rows = judgements.map { target, judgement in
            let measured: String
            if let value = judgement.value {
                measured = target.unit.text(value)
            } else if case .unknown(let reason) = judgement {
                measured = reason
            } else {
                measured = ""
            }
            let word = judgement.word == "missed" ? "**missed**" : judgement.word
            return [target.title, target.subject.client, measured, target.bound.text(target.unit), word]
        }
        return "## Targets: \(words.joined(separator: ", "))\n\n"
            + table(["target", "client", "measured", "bound", "verdict"], rows)
    }

    private func section(_ workload: Workload) -> String {
        let reference = workload.clients.first ?? ""
        let rows = workload.clients.map { client -> [String] in
            guard let wall = results.median(Subject(workload.id, client, .wall)) else {
                return [client, results.reason(Subject(workload.id, client, .wall))]
            }
            func median(_ measure: Measure) -> Double { results.median(Subject(workload.id, client, measure)) ?? 0 }
            return [
                client, workload.unit.text(wall), workload.unit.text(median(.cpu)),
                Notation.megabytes.text(median(.peakMemory)), Notation.megabytes.text(median(.fileMemory)),
                Notation.count.text(median(.threads)),
                ratio(workload, client, to: reference, .wall), ratio(workload, client, to: reference, .cpu),
                extras(workload, client), failures(workload, client),
            ]
        }
        let each = workload.count > 1 ? " of each of \(workload.count) requests" : ""
        let header = [
            "client", "wall\(each)", "CPU", "peak memory", "of which files", "threads", "wall / \(reference)",
            "CPU ratio", "other", "failures",
        ]
        return "## \(workload.id): \(workload.title)\n\n" + table(header, rows)
    }

    private func ratio(_ workload: Workload, _ client: String, to reference: String, _ measure: Measure) -> String {
        let other = Subject(workload.id, reference, measure)
        let target = Target("", Subject(workload.id, client, measure), .dividedByBest([other]), .atMost(.infinity))
        return target.judge(results).value.map(Notation.ratio.text) ?? "–"
    }

    private func extras(_ workload: Workload, _ client: String) -> String {
        let samples = results.outcomes(workload: workload.id, client: client).compactMap(\.sample)
        var lines = Set(samples.flatMap(\.extras.keys)).sorted().compactMap { name in
            results.median(Subject(workload.id, client, .extra(name))).map { "\(name) \(extraText(name, $0))" }
        }
        if workload.inFlight >= 1000, let growth = results.median(Subject(workload.id, client, .growth)) {
            lines.append("memory per task \(Notation.kilobytes.text(growth / Double(workload.inFlight)))")
        }
        return lines.joined(separator: ", ")
    }

    private func extraText(_ name: String, _ value: Double) -> String {
        switch name {
        case "memoryPerTask": Notation.kilobytes.text(value)
        case "allocations", "instructions": Notation.count.text(value)
        default: Notation.milliseconds.text(value)
        }
    }

    private func failures(_ workload: Workload, _ client: String) -> String {
        results.outcomes(workload: workload.id, client: client).compactMap(\.reason).joined(separator: "; ")
    }

    private func table(_ header: [String], _ rows: [[String]]) -> String {
        let lines = [header, header.map { _ in "---" }] + rows
        return lines.map { line in
            let cells = line + Array(repeating: "", count: max(0, header.count - line.count))
            return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }.joined(separator: "\n")
    }
}
