/// The retries that are available for one origin: a token bucket that requests fill and retries empty.
///
/// A class, because changing a value in a dictionary allocates; only the thread that has the engine uses it.
final class RetryBudget {
    /// The requests whose share the bucket can hold.
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
        guard limits.share > 0 else { return }
        let most = max(Double(limits.minimum), min(limits.share, 1) * Self.maximumCount)
        tokens = min(tokens + min(limits.share, 1), max(most, tokens))
    }

    /// Removes a retry, and returns whether there was one.
    func take(at now: MonotonicTime) -> Bool {
        refill(at: now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Adds a retry again that has brought a response.
    func giveBack() { tokens += 1 }

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
    /// How many origins are remembered.
    private static let maximumCount = 256
    private var budgets: [Key: RetryBudget] = [:]

    /// Tasks may have policies with different budgets.
    struct Key: Hashable {
        let origin: Origin
        let limits: RetryPolicy.Budget
    }

    mutating func noteRequest(to key: Key, at now: MonotonicTime) { budget(key, at: now).noteRequest() }
    mutating func take(for key: Key, at now: MonotonicTime) -> Bool { budget(key, at: now).take(at: now) }
    func giveBack(to key: Key) { budgets[key]?.giveBack() }

    private mutating func budget(_ key: Key, at now: MonotonicTime) -> RetryBudget {
        if let budget = budgets[key] { return budget }
        // A server can invent hosts by redirects; which of the others is forgotten makes little difference.
        if budgets.count >= Self.maximumCount, let other = budgets.keys.first { budgets[other] = nil }
        let budget = RetryBudget(key.limits, at: now)
        budgets[key] = budget
        return budget
    }
}
