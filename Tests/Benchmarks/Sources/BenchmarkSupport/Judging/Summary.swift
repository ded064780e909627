/// The table of the article about performance: medians of the most important workloads and clients.
public struct Summary: Sendable {
    private struct Column {
        let title: String
        /// The clients of which only the fastest is shown.
        let clients: [String]
    }

    private static let columns = [
        Column(title: "Ferry, delegate", clients: ["ferry:delegate"]),
        Column(title: "Ferry, async", clients: ["ferry:async"]),
        Column(title: "SessionManager", clients: ["ferry:manager"]),
        Column(title: "libcurl in C", clients: [Clients.libcurl]),
        Column(title: "URLSession, delegate", clients: ["urlsession:delegate"]),
        Column(title: "AsyncHTTPClient, fastest", clients: Clients.asyncHTTPClient),
        Column(title: "hyper", clients: [Clients.hyper]),
    ]

    private static let rows = [
        ("W1", "1 KB, one at a time"), ("W2", "1 KB, 64 in flight"), ("W8", "1 KB, HTTP/2 over TLS, 64 in flight"),
        ("W6", "upload of 1 MB, 4 in flight"), ("W3", "1 GB to a file"), ("W4", "1 GB, read and thrown away"),
        ("W5", "1 GB from a file"), ("W14", "one that waits two seconds"),
        ("W15-defaults", "10 ms of latency, 64 in flight, as by default"),
    ]

    private let results: Results
    private let units: [String: Notation]

    /// Creates the summary of a run of these workloads.
    public init(_ results: Results, workloads: [Workload]) {
        self.results = results
        units = Dictionary(workloads.map { ($0.id, $0.unit) }) { first, _ in first }
    }

    /// The table, in Markdown, and a sentence about how much the values differ between the rounds.
    public var markdown: String {
        let titles = ["wall / CPU of a request"] + Self.columns.map(\.title)
        let rows = Self.rows.filter { units[$0.0] != nil }.map { id, title in
            [title] + Self.columns.map { cell(id, $0) }
        }
        let lines = ([titles, titles.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
        return (lines + ["", spread]).joined(separator: "\n")
    }

    private func cell(_ workload: String, _ column: Column) -> String {
        guard let client = fastest(workload, column), let wall = median(workload, client, .wall),
            let cpu = median(workload, client, .cpu), let unit = units[workload]
        else { return "–" }
        return unit.pair(wall, cpu)
    }

    private func fastest(_ workload: String, _ column: Column) -> String? {
        let walls = column.clients.compactMap { client in median(workload, client, .wall).map { (client, $0) } }
        return walls.min { $0.1 < $1.1 }?.0
    }

    private func median(_ workload: String, _ client: String, _ measure: Measure) -> Double? {
        results.median(Subject(workload, client, measure))
    }

    /// The deviation of the rounds from their medians.
    private var spread: String {
        var deviations: [Double] = []
        for (id, _) in Self.rows where units[id] != nil {
            for client in Self.columns.compactMap({ fastest(id, $0) }) {
                for measure in [Measure.wall, .cpu] {
                    guard let median = median(id, client, measure), median > 0 else { continue }
                    let values = results.values(Subject(id, client, measure)).compactMap { $0 }
                    deviations.append(values.map { abs($0 - median) / median }.max() ?? 0)
                }
            }
        }
        let usual = Notation.count.text((Statistics.median(deviations) ?? 0) * 100)
        let largest = Notation.count.text((deviations.max() ?? 0) * 100)
        return
            "The rounds differ from these medians by up to \(usual) % for half of the values, and by \(largest) % at most."
    }
}

extension Notation {
    /// Returns two times with their unit, as whole numbers.
    func pair(_ first: Double, _ second: Double) -> String {
        let (scale, name) = self == .milliseconds ? (1e3, "ms") : (1e6, "µs")
        return "\(Notation.count.text(first * scale)) / \(Notation.count.text(second * scale)) \(name)"
    }
}
