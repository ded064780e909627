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
            policy.statuses = Set(400...599)
            policy.failures = Set(RetryPolicy.Failure.allCases)
            policy.additionalMethods = [effectiveMethod]
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

extension CurlSession.Options {
    /// Sets the policy and the time limits of a transfer that has already taken some time, in seconds.
    mutating func setRetries(_ options: FetchOptions, after elapsed: Double = 0) {
        // Nothing is sent with a deadline of zero, which means no limit here.
        deadline = options.deadline.flatMap { $0 > 0 ? max($0 - elapsed, 0.001) : nil }
        retry = options.retryPolicy
        if let limit = options.retryTimeLimit { retry?.maximumRetryTime = limit - elapsed }
    }
}
