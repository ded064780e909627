import Foundation
import TestSupport
import Testing

@testable import FerrySession

/// The guarantees to a user in any order of events, without sockets.
///
/// The environment variable `FERRY_TEST_SEQUENCES` is the number of sequences; `FERRY_TEST_SEED` is the first seed.
@Suite(.timeLimit(.minutes(30)))
struct CallSimulationTests {
    private static let count =
        ProcessInfo.processInfo.environment["FERRY_TEST_SEQUENCES"].flatMap { UInt64($0) } ?? 4_000

    @Test(
        """
        In any sequence of events a call ends once, never repeats what is not idempotent, never mixes the bytes of two \
        responses, and gives no credential to another origin
        """
    )
    func anySequence() {
        let first = SeededGenerator.seed()
        for index in 0..<Self.count {
            let seed = first &+ index
            let simulation = CallSimulation(seed: seed)
            simulation.run()
            guard !simulation.violations.isEmpty else { continue }
            Issue.record(
                """
                FERRY_TEST_SEED=\(seed): \(simulation.violations.joined(separator: "; "))
                \(simulation.log.joined(separator: "\n"))
                """
            )
            return
        }
    }
}
