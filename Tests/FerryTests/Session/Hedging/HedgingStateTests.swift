import TestSupport
import Testing

@testable import Ferry

@Suite struct HedgingStateTests {
    private let now = MonotonicTime(nanoseconds: 0)

    private func state(_ delay: Hedging.Rule.Delay, budget: Double = 1) -> HedgingState {
        var rule = Hedging.Rule()
        (rule.delay, rule.budget) = (delay, budget)
        return HedgingState(rule, at: now)
    }

    @Test("A percentile needs twenty durations, and is that of the last 256")
    func percentile() {
        var state = state(.percentile(0.95))
        for number in 1...19 { state.note(TimeSpan(seconds: Double(number))) }
        #expect(state.begin(at: now) == nil)
        for number in 20...100 { state.note(TimeSpan(seconds: Double(number))) }
        #expect(state.begin(at: now) == TimeSpan(seconds: 96))
        for _ in 0..<256 { state.note(TimeSpan(seconds: 1)) }
        let later = now.advanced(by: .milliseconds(1))
        #expect(state.begin(at: later) == TimeSpan(seconds: 1))
        #expect(state.lastUse == later)
    }

    @Test("The median of the last durations is right in whatever order they come")
    func median() {
        var (state, generator) = (state(.percentile(0.5)), SeededGenerator(5))
        var last: [TimeSpan] = []
        for _ in 0..<2_000 {
            let duration = TimeSpan.milliseconds(.random(in: 0...50, using: &generator))
            state.note(duration)
            last = last.suffix(255) + [duration]
            let expected = last.count < 20 ? nil : last.sorted()[last.count / 2]
            #expect(state.begin(at: now) == expected)
        }
    }

    @Test(
        "Any share is a percentile or none",
        arguments: [(0, 1), (1, 100), (2, 100), (.infinity, 100), (-1, nil), (.nan, nil)] as [(Double, Double?)]
    )
    func shares(_ share: Double, _ seconds: Double?) {
        var state = state(.percentile(share))
        for number in 1...100 { state.note(TimeSpan(seconds: Double(number))) }
        #expect(state.begin(at: now) == seconds.map { TimeSpan(seconds: $0) })
    }

    @Test("A fixed delay needs no durations, and is never negative")
    func fixed() {
        var (later, negative) = (state(.seconds(0.5)), state(.seconds(-1)))
        #expect(later.begin(at: now) == TimeSpan(seconds: 0.5))
        #expect(negative.begin(at: now) == .zero)
    }

    @Test("One in twenty requests pays for a second one, and ten are saved up")
    func budget() {
        var state = state(.seconds(0), budget: 0.05)
        func takeAll() -> Int {
            var count = 0
            while count < 100, state.take() { count += 1 }
            return count
        }
        #expect(takeAll() == 1)
        for _ in 0..<39 { _ = state.begin(at: now) }
        #expect(takeAll() == 1)
        for _ in 0..<10_000 { _ = state.begin(at: now) }
        #expect(takeAll() == 10)
    }

    @Test("A budget that is negative or not a number allows one second request at most", arguments: [-1, 0, .nan])
    func noBudget(_ budget: Double) {
        var state = state(.seconds(0), budget: budget)
        for _ in 0..<100 { _ = state.begin(at: now) }
        let first = state.take()
        let second = state.take()
        #expect(first && !second)
    }

    @Test(
        "With one of ten servers slow in four of ten requests, the 99th percentile falls by half for 5 % more requests",
        arguments: 1...5
    )
    func simulation(seed: UInt64) {
        var random = SeededGenerator(seed)
        func duration() -> Double {
            let isSlow = Int.random(in: 0..<10, using: &random) == 0 && Int.random(in: 0..<10, using: &random) < 4
            return isSlow ? .random(in: 1...3, using: &random) : .random(in: 0.01...0.05, using: &random)
        }
        var state = HedgingState(Hedging.Rule(), at: now)
        var (plain, hedged): ([Double], [Double]) = ([], [])
        var second = 0
        let count = 20_000
        for _ in 0..<count {
            let first = duration()
            plain.append(first)
            var used = first
            if let delay = state.begin(at: now)?.seconds, first > delay, state.take() {
                second += 1
                used = min(first, delay + duration())
            }
            state.note(TimeSpan(seconds: used))
            hedged.append(used)
        }
        func percentile99(_ values: [Double]) -> Double { values.sorted()[values.count * 99 / 100] }
        #expect(percentile99(hedged) <= percentile99(plain) / 2)
        #expect(Double(second) <= 0.05 * Double(count) + HedgingState.maximumBudget)
    }
}
