/// The state of a ``Hedging`` for one origin, as a pure value: it decides when a second request may be sent.
struct HedgingState: Sendable {
    /// The number of durations that are kept, and that are needed for a percentile.
    static let maximumDurations = 256
    static let minimumDurations = 20
    /// The number of second requests that may be saved up.
    static let maximumBudget = 10.0

    private let rule: Hedging.Rule
    /// The last durations, in the order of a ring.
    private var durations: [TimeSpan] = []
    private var next = 0
    /// How many second requests may be sent.
    private var budget = 1.0
    private(set) var lastUse: MonotonicTime

    init(_ rule: Hedging.Rule, at now: MonotonicTime) { (self.rule, lastUse) = (rule, now) }

    /// Notes a request, and returns the time after which a second one may follow; `nil` if too few durations are known.
    mutating func begin(at now: MonotonicTime) -> TimeSpan? {
        lastUse = now
        // A budget that is not a number, or negative, allows nothing.
        if rule.budget > 0 { budget = min(budget + rule.budget, Self.maximumBudget) }
        switch rule.delay {
        case .seconds(let seconds): return TimeSpan(seconds: max(0, seconds))
        case .percentile(let share): return percentile(share)
        }
    }

    /// Returns whether the second request may be sent, and takes it from the budget.
    mutating func take() -> Bool {
        guard budget >= 1 else { return false }
        budget -= 1
        return true
    }

    /// Notes how long the response to a first request was waited for.
    mutating func note(_ duration: TimeSpan) {
        if durations.count < Self.maximumDurations {
            durations.append(duration)
        } else {
            durations[next] = duration
            next = (next + 1) % Self.maximumDurations
        }
    }

    private func percentile(_ share: Double) -> TimeSpan? {
        guard durations.count >= Self.minimumDurations, share >= 0 else { return nil }
        let index = Int((min(share, 1) * Double(durations.count)).rounded(.down))
        return durations.sorted()[min(index, durations.count - 1)]
    }
}
