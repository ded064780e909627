import TestSupport
import Testing

@testable import FerrySession

/// The share of an origin's requests that may be repeated.
@Suite struct RetryBudgetTests {
    private func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds * 1e9)) }

    /// Returns for each of several failing retries, one after the other, whether it is allowed.
    private func takes(_ budget: RetryBudget, _ count: Int, at seconds: Double) -> [Bool] {
        (0..<count).map { _ in take(budget, at: seconds) }
    }

    private func take(_ budget: RetryBudget, at seconds: Double) -> Bool {
        let hasRetry = budget.hasRetry(at: at(seconds))
        if hasRetry { budget.charge(at: at(seconds)) }
        return hasRetry
    }

    @Test("There is a minimum at first, which returns at one retry in a second") func minimum() {
        let budget = RetryBudget(RetryPolicy.Budget(share: 0, minimum: 3), at: at(0))
        #expect(takes(budget, 5, at: 0) == [true, true, true, false, false])
        #expect(takes(budget, 1, at: 0.5) == [false])
        #expect(takes(budget, 2, at: 1.1) == [true, false])
        // The budget saves no more than the minimum.
        #expect(takes(budget, 5, at: 1_000) == [true, true, true, false, false])
    }

    @Test("Each request adds its share, up to that of a thousand requests") func share() {
        let budget = RetryBudget(RetryPolicy.Budget(share: 0.1, minimum: 0), at: at(0))
        #expect(takes(budget, 1, at: 0) == [false])
        for _ in 0..<25 { budget.noteRequest() }
        #expect(takes(budget, 4, at: 0) == [true, true, false, false])
        for _ in 0..<100_000 { budget.noteRequest() }
        var taken = 0
        while take(budget, at: 0) { taken += 1 }
        #expect(taken == 100)
    }

    @Test("A retry costs nothing until it has failed") func unknownEnd() {
        let budget = RetryBudget(RetryPolicy.Budget(share: 0, minimum: 1), at: at(0))
        for _ in 0..<100 {
            let hasRetry = budget.hasRetry(at: at(0))
            #expect(hasRetry)
        }
        #expect(takes(budget, 2, at: 0) == [true, false])
    }

    @Test(
        "Retries that were under way when the budget was used up count as well, up to the most that it can hold",
        arguments: [
            // Failures, share, minimum, and the time until a retry is allowed again.
            (1, 0, 1, 1.0), (2, 0, 1, 2), (3, 0, 1, 2), (1_000, 0, 1, 2), (12, 0, 10, 3), (1_000, 0, 10, 11),
            (12, 0.1, 10, 3), (1_000, 0.1, 10, 101), (2_000, 5, 10, 1_001),
        ] as [(Int, Double, Int, Double)]
    )
    func debt(_ failures: Int, _ share: Double, _ minimum: Int, _ seconds: Double) {
        let budget = RetryBudget(RetryPolicy.Budget(share: share, minimum: minimum), at: at(0))
        for _ in 0..<failures { budget.charge(at: at(0)) }
        #expect(takes(budget, 1, at: seconds - 0.1) == [false])
        #expect(takes(budget, 2, at: seconds + 0.1) == [true, false])
    }

    @Test("Extreme limits do no harm", arguments: [-1, 0, .infinity, .nan, 1e300] as [Double], [Int.min, -1, Int.max])
    func extremes(_ share: Double, _ minimum: Int) {
        let budget = RetryBudget(RetryPolicy.Budget(share: share, minimum: minimum), at: at(0))
        for _ in 0..<10 {
            budget.noteRequest()
            _ = budget.hasRetry(at: at(10))
            budget.charge(at: at(10))
        }
    }

    @Test("The number of origins is limited") func origins() {
        var budgets = RetryBudgets()
        let limits = RetryPolicy.Budget(share: 0, minimum: 1)
        let keys = (0..<1_000).map { index in
            RetryBudgets.Key(origin: Origin(scheme: "http", name: "h\(index)", port: nil), limits: limits)
        }
        for key in keys {
            let isFirst = budgets.hasRetry(for: key, at: at(0))
            budgets.charge(key, at: at(0))
            let isSecond = budgets.hasRetry(for: key, at: at(0))
            #expect(isFirst && !isSecond)
        }
        // A forgotten origin is allowed a retry again.
        let remembered = keys.indices.reversed().filter { !budgets.hasRetry(for: keys[$0], at: at(0)) }
        #expect(remembered.first == 999 && remembered.count <= 256)
    }

    /// Clients that send a request each second to a server that is gone, with a virtual clock.
    @Test(
        "A dead server receives about 1.1 times the load of clients without retries, and 1.5 times if it fails slowly",
        arguments: [(0.0, 1.12), (0.1, 1.12), (10, 1.52)]
    )
    func deadServer(_ timeToFail: Double, _ limit: Double) {
        let limits = RetryPolicy.standard.budget ?? RetryPolicy.Budget()
        var budgets = RetryBudgets()
        let key = RetryBudgets.Key(origin: Origin(scheme: "http", name: "h", port: nil), limits: limits)
        var (requests, retries) = (0, 0)
        var queue: [(time: Double, retry: Int)] = []
        var random = SeededGenerator(7)
        for client in 0..<200 {
            for second in 0..<30 { queue.append((Double(second) + Double(client) / 200 + timeToFail, 0)) }
        }
        queue.sort { $0.time > $1.time }
        // The time is that of the failure.
        while let next = queue.popLast() {
            if next.retry == 0 {
                requests += 1
                budgets.noteRequest(to: key, at: at(next.time))
            } else {
                budgets.charge(key, at: at(next.time))
            }
            var situation = RetryRule.Situation()
            situation.outcome = .failure(.connect)
            situation.retries = next.retry
            let unit = Double.random(in: 0...1, using: &random)
            guard case .retry(let delay, _, _) = RetryRule.decide(situation, .standard, random: unit),
                budgets.hasRetry(for: key, at: at(next.time))
            else { continue }
            retries += 1
            let time = next.time + delay + timeToFail
            queue.insert((time, next.retry + 1), at: queue.firstIndex { $0.time <= time } ?? queue.endIndex)
        }
        #expect(requests == 6_000)
        #expect(retries >= 600)
        #expect(Double(requests + retries) / Double(requests) < limit)
    }
}
