/// The pace of requests to an origin: a token bucket, and the delay that the server has asked for.
package struct RequestPace {
    /// The longest time, in seconds, after which the tokens are counted again.
    private static let maximumWait = 3_600.0

    /// The requests for each second; `nil` for no limit.
    private let perSecond: Double?
    private let burst: Double
    private var tokens: Double
    private var refilledAt: MonotonicTime
    private var heldUntil: MonotonicTime?

    package init(_ rate: RequestLimits.Rate?, at now: MonotonicTime) {
        let interval = rate?.interval ?? 0
        let perSecond = interval > 0 && interval.isFinite ? Double(max(1, rate?.count ?? 1)) / interval : .infinity
        self.perSecond = perSecond.isFinite && perSecond > 0 ? perSecond : nil
        burst = Double(max(1, rate?.burst ?? 1))
        tokens = burst
        refilledAt = now
    }

    /// Delays requests until a time; an earlier one than before has no effect.
    package mutating func hold(until time: MonotonicTime) { heldUntil = max(heldUntil ?? time, time) }

    /// Returns when a request may be sent, or `nil` if that is now.
    package func nextTime(at now: MonotonicTime) -> MonotonicTime? {
        if let heldUntil, heldUntil > now { return heldUntil }
        guard let perSecond else { return nil }
        // The tokens are counted with rounding errors.
        let missing = 1 - tokens(at: now)
        if missing <= 1e-9 { return nil }
        let seconds = min(missing / perSecond, Self.maximumWait)
        return now.advanced(by: TimeSpan(seconds: seconds))
    }

    package mutating func noteRequest(at now: MonotonicTime) {
        guard perSecond != nil else { return }
        tokens = tokens(at: now) - 1
        refilledAt = now
    }

    /// Whether a new pace would be the same.
    package func isUnused(at now: MonotonicTime) -> Bool {
        nextTime(at: now) == nil && (perSecond == nil || tokens(at: now) >= burst)
    }

    private func tokens(at now: MonotonicTime) -> Double {
        min(burst, tokens + now.since(refilledAt).seconds * (perSecond ?? 0))
    }
}
