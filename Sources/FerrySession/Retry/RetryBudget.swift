/// The retries that are available for one origin: a token bucket that requests fill, and retries that fail empty.
///
/// A class, because changing a value in a dictionary allocates.
final class RetryBudget {
    /// The number of requests whose shares fill the bucket.
    private static let maximumCount = 1_000.0

    let limits: RetryPolicy.Budget
    private var tokens: Double
    private var refilledAt: MonotonicTime

    init(_ limits: RetryPolicy.Budget, at now: MonotonicTime) {
        self.limits = limits
        tokens = Double(max(0, limits.minimum))
        refilledAt = now
    }

    /// Adds the share of a request that is sent for the first time.
    func noteRequest() {
        if share > 0 { tokens = min(tokens + share, max(most, tokens)) }
    }

    /// Returns whether there is a retry, which is removed only if it fails.
    func hasRetry(at now: MonotonicTime) -> Bool {
        refill(at: now)
        return tokens >= 1
    }

    /// Removes a retry that has failed; the number becomes negative if several were under way.
    func charge(at now: MonotonicTime) {
        refill(at: now)
        tokens = max(tokens - 1, -most)
    }

    private var share: Double { limits.share > 0 ? min(limits.share, 1) : 0 }
    private var most: Double { max(0, Double(limits.minimum), share * Self.maximumCount) }

    /// Adds one retry in each second, up to the minimum.
    private func refill(at now: MonotonicTime) {
        let seconds = now.since(refilledAt).seconds
        refilledAt = now
        let minimum = Double(max(0, limits.minimum))
        if tokens < minimum { tokens = min(minimum, tokens + seconds) }
    }
}

/// The budgets of a session's origins.
struct RetryBudgets {
    /// The number of origins that are remembered.
    private static let maximumCount = 256
    private var budgets: [Key: RetryBudget] = [:]

    /// Tasks may have policies with different budgets.
    struct Key: Hashable {
        let origin: Origin
        let limits: RetryPolicy.Budget
    }

    mutating func noteRequest(to key: Key, at now: MonotonicTime) { budget(key, at: now).noteRequest() }
    mutating func hasRetry(for key: Key, at now: MonotonicTime) -> Bool { budget(key, at: now).hasRetry(at: now) }
    func charge(_ key: Key, at now: MonotonicTime) { budgets[key]?.charge(at: now) }

    private mutating func budget(_ key: Key, at now: MonotonicTime) -> RetryBudget {
        if let budget = budgets[key] { return budget }
        // A server can invent hosts by redirects; which of the others is forgotten makes little difference.
        if budgets.count >= Self.maximumCount, let other = budgets.keys.first { budgets[other] = nil }
        let budget = RetryBudget(key.limits, at: now)
        budgets[key] = budget
        return budget
    }
}
