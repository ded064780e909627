import Testing

/// Thousands of sessions over random networks.
///
/// `FERRY_TEST_SEED` chooses a seed, whose events are then printed if it fails.
@Suite(.ownThreads, .timeLimit(.minutes(20)))
struct RandomTests {
    @Test("A session over a random network keeps its promises", .slow, arguments: 0..<4)
    func seeds(part: Int) async {
        await #expect(processExitsWith: .success) { [part] in
            try await RandomTests.run(0..<250, from: UInt64(part) * 250)
        }
    }

    @Test("A few sessions over random networks keep their promises")
    func fewSeeds() async {
        await #expect(processExitsWith: .success) {
            let isChosen = ProcessInfo.processInfo.environment["FERRY_TEST_SEED"] != nil
            // The sum of a seed and a number must not overflow.
            let seed = isChosen ? SeededGenerator.seed() : .random(in: 0..<1_000_000_000)
            try await RandomTests.run(0..<(isChosen ? 1 : 50), from: seed)
        }
    }

    static func run(_ range: Range<UInt64>, from first: UInt64) async throws {
        for number in range {
            let seed = first + number
            let run = try await Simulation.shared.run(hours: 24) {
                let run = RandomRun(seed: seed)
                return (run, await run.violations())
            }
            guard !run.1.isEmpty else { continue }
            let log = range.count == 1 ? run.0.log : ""
            Issue.record("seed \(seed): \(run.1.joined(separator: "; "))\n\(log)")
            return
        }
    }
}
