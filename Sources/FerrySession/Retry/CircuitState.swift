/// Whether requests to one origin are sent, as a pure value: the state of a ``CircuitBreaker`` for it.
struct CircuitState: Sendable {
    /// The result of a request for the health of its server.
    enum Outcome: Hashable, Sendable {
        case success
        case failure
        /// The request was cancelled, or has failed for a reason of the client's own.
        case unknown
    }

    private enum Phase {
        case closed
        case open(until: MonotonicTime)
        /// One request tries whether the server is well again.
        case trying
    }

    /// The requests of one tenth of the window.
    private struct Counts {
        var successes = 0
        var failures = 0
    }

    private static let none = [Counts](repeating: Counts(), count: 10)

    private let rule: CircuitBreaker.Rule
    private var phase = Phase.closed { didSet { era += 1 } }
    /// Changes with the phase, so that the result of a request from before the last change is ignored.
    private(set) var era: Int
    /// The counts of the window, of its last tenth first.
    private var counts = Self.none
    /// The start of the last tenth of the window.
    private var lastStart: MonotonicTime
    /// The number of times in a row that the circuit was opened, without a success between.
    private var openings = 0

    init(_ rule: CircuitBreaker.Rule, at now: MonotonicTime) {
        self.rule = rule
        lastStart = now
        // The era must differ from the eras of an earlier circuit to the same origin, which was forgotten.
        era = Int(truncatingIfNeeded: now.nanoseconds)
    }

    func state(at now: MonotonicTime) -> CircuitBreaker.State {
        switch phase {
        case .closed: .closed
        case .trying: .halfOpen
        case .open(let end): end > now ? .open : .halfOpen
        }
    }

    /// Whether the origin can be forgotten: its circuit is closed, and its counts are out of date.
    func isUnused(at now: MonotonicTime) -> Bool {
        guard case .closed = phase else { return false }
        return now.since(lastStart) > TimeSpan(seconds: rule.window)
    }

    /// Returns whether a request may be sent, and notes it if it is the one that tries a server again.
    mutating func admit(at now: MonotonicTime) -> Bool {
        switch phase {
        case .closed: return true
        case .trying: return false
        case .open(let end):
            guard end <= now else { return false }
            phase = .trying
            return true
        }
    }

    /// Notes the end of a request that was admitted.
    mutating func note(_ outcome: Outcome, at now: MonotonicTime) {
        switch (phase, outcome) {
        case (.trying, .success):
            let last = era
            self = CircuitState(rule, at: now)
            era = last + 1
        case (.trying, .failure): open(at: now)
        // The next request is the trial instead.
        case (.trying, .unknown): phase = .open(until: now)
        case (.open, _), (.closed, .unknown): break
        case (.closed, _): count(outcome, at: now)
        }
    }

    private mutating func count(_ outcome: Outcome, at now: MonotonicTime) {
        let tenth = TimeSpan(seconds: rule.window / 10)
        var passed = 0
        while now.since(lastStart) > tenth, passed < counts.count {
            counts.removeLast()
            counts.insert(Counts(), at: 0)
            lastStart = lastStart.advanced(by: tenth)
            passed += 1
        }
        if passed == counts.count { lastStart = now }
        if outcome == .failure { counts[0].failures += 1 } else { counts[0].successes += 1 }
        let failures = counts.reduce(0) { $0 + $1.failures }
        let all = counts.reduce(failures) { $0 + $1.successes }
        let isEnough = all >= max(1, rule.minimumRequests)
        if outcome == .failure, isEnough, Double(failures) >= rule.failureShare * Double(all) { open(at: now) }
    }

    private mutating func open(at now: MonotonicTime) {
        let seconds = min(rule.openTime * Double(1 << min(openings, 10)), max(rule.openTime, rule.maximumOpenTime))
        openings += 1
        counts = Self.none
        lastStart = now
        phase = .open(until: now.advanced(by: TimeSpan(seconds: seconds)))
    }
}
