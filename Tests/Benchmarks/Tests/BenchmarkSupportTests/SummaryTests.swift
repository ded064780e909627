import BenchmarkSupport
import Testing

struct SummaryTests {
    private func results(_ walls: [(workload: String, client: String, walls: [Double])]) -> Results {
        var results = Results()
        for (workload, client, walls) in walls {
            for wall in walls {
                let sample = Sample(count: 1, wall: wall, cpu: wall / 2, peakMemory: 0, startMemory: 0, threads: 1)
                results.add(.sample(sample), workload: workload, client: client)
            }
        }
        return results
    }

    private var workloads: [Workload] {
        Workload.all(Sizes(isQuick: false)).filter { ["W1", "W3"].contains($0.id) }
    }

    @Test func `The table has medians, the fastest of several clients, and dashes`() {
        let summary = Summary(
            results([
                ("W1", "ferry:delegate", [100e-6, 110e-6, 90e-6]), ("W1", "ahc:default", [300e-6]),
                ("W1", "ahc:tuned", [200e-6]), ("W3", "ferry:delegate", [1.5]),
                ("W3", "hyper:rust", [1.25]),
            ]),
            workloads: workloads
        )
        let lines = summary.markdown.split(separator: "\n")
        #expect(lines.contains("| 1 KB, one at a time | 100 / 50 µs | – | – | – | – | 200 / 100 µs | – |"))
        #expect(lines.contains("| 1 GB to a file | 1500 / 750 ms | – | – | – | – | – | 1250 / 625 ms |"))
        #expect(lines.count == 5)
        #expect(
            lines.last
                == "The rounds differ from these medians by up to 0 % for half of the values, and by 10 % at most."
        )
    }
}
