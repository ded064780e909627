import BenchmarkSupport
import Testing

struct JudgementTests {
    private func results(_ times: [(client: String, walls: [Double?])]) -> Results {
        var results = Results()
        for (client, walls) in times {
            for wall in walls {
                let sample = wall.map {
                    Sample(count: 1, wall: $0, cpu: 0, peakMemory: 0, startMemory: 0, threads: 1)
                }
                results.add(sample.map(Outcome.sample) ?? .failed("refused"), workload: "W1", client: client)
            }
        }
        return results
    }

    private func target(_ comparison: Target.Comparison, _ bound: Target.Bound) -> Target {
        Target("", Subject("W1", "own", .wall), comparison, bound)
    }

    private let other = Subject("W1", "other", .wall)

    @Test(arguments: [([], nil), ([3], 3), ([5, 1], 3), ([9, 1, 2], 2)] as [([Double], Double?)])
    func `The median is the middle one`(values: [Double], median: Double?) {
        #expect(Statistics.median(values) == median)
    }

    @Test func `Numbers are compared within their round`() {
        // The machine was four times slower in the second round, for both clients.
        let results = results([("own", [1, 4, 1]), ("other", [2, 8, 1])])
        #expect(target(.dividedByBest([other]), .atMost(0.5)).judge(results) == .met(0.5))
    }

    @Test func `The best of several counts, and one that failed does not`() {
        let results = results([("own", [1]), ("other", [4]), ("quick", [2]), ("broken", [nil])])
        let others = ["other", "quick", "broken"].map { Subject("W1", $0, Measure.wall) }
        #expect(target(.dividedByBest(others), .below(0.5)).judge(results) == .missed(0.5))
    }

    @Test func `What is taken away must have been measured`() {
        let results = results([("own", [5, 7]), ("other", [2, 3]), ("broken", [nil, nil])])
        #expect(target(.less([other]), .atMost(3)).judge(results) == .missed(3.5))
        let broken = Subject("W1", "broken", Measure.wall)
        #expect(target(.less([other, broken]), .atMost(3)).judge(results).value == nil)
    }

    @Test func `What fails is never a number`() {
        let results = results([("own", [nil]), ("other", [1])])
        #expect(target(.itself, .atMost(1)).judge(results) == .unknown("failed: refused"))
    }

    @Test func `Speed that is reached is the other's time over the own`() {
        let results = results([("own", [2]), ("other", [1])])
        #expect(target(.reached(other), .atLeast(0.5)).judge(results) == .met(0.5))
    }
}
