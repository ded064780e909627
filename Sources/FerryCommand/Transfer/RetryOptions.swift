import Ferry

extension FetchOptions {
    /// The policy of the retry options; `nil` sends no request again.
    var retryPolicy: RetryPolicy? {
        guard let retries, retries > 0 else { return nil }
        var policy = RetryPolicy.standard
        policy.maximumRetries = retries
        // The transfers that run at the same time can each have as many retries as were asked for.
        policy.budget?.minimum = max(RetryPolicy.Budget().minimum, retries * parallel)
        if retriesAllErrors {
            policy.statusCodes = Set(400...599)
            policy.failures = Set(RetryPolicy.Failure.allCases)
            policy.additionalMethods = [effectiveMethod]
        }
        if let delay = retryDelay, delay > 0 {
            policy.backoff = RetryPolicy.Backoff(base: delay, multiplier: 1, cap: delay, hasJitter: false)
        }
        if let limit = retryTimeLimit {
            policy.backoff.cap = min(policy.backoff.cap, limit)
            policy.maximumServerDelay = limit
        }
        return policy
    }

    /// The seconds of `--retry-max-time`; `nil` for no limit.
    var retryTimeLimit: Double? { retryMaxTime.flatMap { $0 > 0 ? $0 : nil } }
}

/// Counts the retries of a download; progress resets the count, as in the session.
///
/// Only bytes beyond the furthest position so far count as progress, and only within one entity. Each change of the
/// entity remains counted, so that a server with another entity for each request cannot keep a transfer going.
struct RetryCount {
    private(set) var retries = 0
    private var changes = 0
    /// The validator of the entity, or `nil` if the download cannot be continued.
    private var validator: String?
    private var furthest: Int64

    /// Begins with the entity of a partial file, if there is one that can be continued.
    init(validator: String?, size: Int64) { (self.validator, furthest) = (validator, size) }

    /// Records the partial file that a task has left.
    mutating func note(validator: String?, size: Int64) {
        guard let validator, validator == self.validator else {
            if self.validator != nil { changes += 1 }
            (self.validator, furthest) = (validator, size)
            return
        }
        if size - furthest >= RetryPolicy.minimumProgress { retries = changes }
        furthest = max(furthest, size)
    }

    mutating func add() { retries += 1 }
}

extension CurlSession.Options {
    /// Sets the policy and the time limits of a transfer that has already taken some time, in seconds.
    mutating func setRetries(_ options: FetchOptions, after elapsed: Double = 0) {
        // Nothing is sent with a deadline of zero, which means no limit here.
        deadline = options.deadline.flatMap { $0 > 0 ? max($0 - elapsed, 0.001) : nil }
        retryPolicy = options.retryPolicy
        if let limit = options.retryTimeLimit { retryPolicy?.maximumRetryTime = limit - elapsed }
    }
}
