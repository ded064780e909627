/// The retries that are available for one origin: a token bucket that requests fill and retries empty.
struct RetryBudget {
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
    mutating func noteRequest() {
        guard limits.share > 0 else { return }
        let most = max(Double(limits.minimum), min(limits.share, 1) * Self.maximumCount)
        tokens = min(tokens + min(limits.share, 1), max(most, tokens))
    }

    /// Removes a retry, and returns whether there was one.
    mutating func take(at now: MonotonicTime) -> Bool {
        refill(at: now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Adds a retry again that has brought a response.
    mutating func giveBack() { tokens += 1 }

    /// Adds one retry in each second, up to the minimum.
    private mutating func refill(at now: MonotonicTime) {
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
    private var budgets: [Key: Entry] = [:]

    /// A class, because changing a value in a dictionary allocates.
    private final class Entry {
        var budget: RetryBudget

        init(_ budget: RetryBudget) { self.budget = budget }
    }

    /// Tasks may have policies with different budgets.
    struct Key: Hashable {
        let origin: Origin
        let limits: RetryPolicy.Budget
    }

    mutating func noteRequest(to key: Key, at now: MonotonicTime) { entry(key, at: now).budget.noteRequest() }
    mutating func take(for key: Key, at now: MonotonicTime) -> Bool { entry(key, at: now).budget.take(at: now) }
    func giveBack(to key: Key) { budgets[key]?.budget.giveBack() }

    private mutating func entry(_ key: Key, at now: MonotonicTime) -> Entry {
        if let entry = budgets[key] { return entry }
        // A server can invent hosts by redirects; which of the others is forgotten makes little difference.
        if budgets.count >= Self.maximumCount, let other = budgets.keys.first { budgets[other] = nil }
        let entry = Entry(RetryBudget(key.limits, at: now))
        budgets[key] = entry
        return entry
    }
}
