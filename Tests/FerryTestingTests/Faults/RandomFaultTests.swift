import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct RandomFaultTests {
    private static let faults: [FaultStep] = [
        .respond(statusCode: 429), .respond(statusCode: 500), .respond(statusCode: 503),
    ]

    private func statuses(_ script: FaultScript, _ targets: [String]) -> [String: [Int]] {
        let handler = script.handler { _ in .text("") }
        var statuses: [String: [Int]] = [:]
        for target in targets {
            statuses[target, default: []].append(handler(LoopbackRequest(target: target)).statusCode)
        }
        return statuses
    }

    private let targets = (0..<2_000).map { "/\($0 % 10)" }

    @Test("The same seed gives the same faults, in whichever order targets are requested") func reproducible() {
        let first = statuses(FaultScript(seed: 1, share: 0.2, of: Self.faults), targets)
        #expect(statuses(FaultScript(seed: 1, share: 0.2, of: Self.faults), targets.sorted()) == first)
        #expect(statuses(FaultScript(seed: 2, share: 0.2, of: Self.faults), targets) != first)
        #expect(first["/0"] != first["/1"])
    }

    @Test("About the given share of the requests has a fault, of all kinds", arguments: [0, 0.2, 0.9, 1, .nan, -1, 2])
    func share(_ share: Double) {
        let script = FaultScript(seed: 3, share: share, of: Self.faults)
        _ = statuses(script, targets)
        let expected = share.isNaN ? 0 : min(max(share, 0), 1) * 2_000
        #expect(abs(Double(2_000 - script.counts["pass", default: 0]) - expected) < 120)
        #expect(script.requestCount == 2_000)
        if share > 0 { #expect(["429", "500", "503"].allSatisfy { script.counts[$0, default: 0] > 50 }) }
    }

    @Test("A run of faults is limited", arguments: [0, 1, 2, -1]) func longestRun(_ limit: Int) {
        let script = FaultScript(seed: 4, share: 1, of: Self.faults, longestRun: limit)
        let runs = statuses(script, (0..<12).map { _ in "/" })["/"] ?? []
        let expected = (0..<12).map { limit <= 0 || $0 % (limit + 1) == limit }
        #expect(runs.map { $0 == 200 } == expected)
    }

    @Test("Without faults to choose from nothing fails") func noFaults() {
        let script = FaultScript(seed: 5, share: 1, of: [])
        _ = statuses(script, targets)
        #expect(script.counts == ["pass": 2_000])
    }

    @Test("The mix has drops, truncations, pauses and statuses, and a client that repeats succeeds") func mix() throws {
        let script = FaultScript(seed: 6, share: 0.5, longestRun: 3)
        let server = try LoopbackServer(script: script) { _ in .pattern(count: 1_000) }
        for index in 0..<60 {
            let isDone = try (0..<4).contains { _ in
                let client = try RawClient(server)
                try client.request("GET", "/\(index)")
                guard let response = try? client.response() else { return false }
                return response.status == 200 && response.body.count == 1_000
            }
            #expect(isDone, "target \(index)")
        }
        let kinds = ["close", "reset", "truncate", "pause", "429", "500", "503"]
        #expect(kinds.allSatisfy { script.counts[$0, default: 0] > 0 }, "\(script.counts)")
    }
}
