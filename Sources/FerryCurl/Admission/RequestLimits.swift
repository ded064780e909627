/// The limits on how many requests of a session are in flight, and how fast they are sent.
///
/// A request that has to wait is queued: tasks with a `priority` above the default come first, then those with the
/// default, then those below it, and within each of these groups they keep their order. The wait counts towards
/// ``CurlSession/Options/deadline`` but not towards the request's `timeoutInterval`. A suspended task does not count,
/// and a task that waits for an interceptor or for its next attempt does not count either.
///
/// ```swift
/// var options = CurlSession.Options()
/// options.limits = RequestLimits(maximumInFlight: 8, rate: .init(20, per: 1))
/// ```
public struct RequestLimits: Sendable, Hashable {
    /// A number of requests in a time, as a token bucket.
    public struct Rate: Sendable, Hashable {
        /// The number of requests that are allowed in ``interval``; at least 1.
        public var count: Int
        /// The interval in seconds; a value that is not positive and finite means no limit.
        public var interval: TimeInterval
        /// The number of requests that may be sent at once after a pause; at least 1, ``count`` by default.
        public var burst: Int

        /// Makes a rate of a number of requests in an interval in seconds.
        public init(_ count: Int, per interval: TimeInterval, burst: Int? = nil) {
            self.count = count
            self.interval = interval
            self.burst = burst ?? count
        }
    }

    /// The maximum number of requests that the session has in flight to all servers together.
    ///
    /// It is at least 1; `nil`, the default, leaves only the limit on connections for each origin. A request is in
    /// flight until the last byte of its response, so one whose response never ends takes a place.
    public var maximumInFlight: Int?
    /// The rate of requests to each origin, which redirects and retries also count towards; `nil`, the default, for no
    /// limit.
    public var rate: Rate?
    /// A Boolean value that indicates whether all requests to an origin wait if its server asks for it with
    /// `Retry-After` (RFC 9110, section 10.2.3) or `RateLimit`; `true` by default.
    ///
    /// After a response with status 429, which is about the client's rate (RFC 6585, section 4), they wait at once. A
    /// 503 may be about one resource: the others wait only if the origin's next response is one too. The request with
    /// such a response waits in any case, if the task's ``RetryPolicy`` sends it again.
    public var honorsServerDelays: Bool
    /// The longest delay, in seconds, that other requests wait for a server; 60 by default.
    ///
    /// If a server asks for a longer one, they are sent as usual.
    public var maximumServerDelay: TimeInterval

    /// Makes limits.
    public init(
        maximumInFlight: Int? = nil,
        rate: Rate? = nil,
        honorsServerDelays: Bool = true,
        maximumServerDelay: TimeInterval = 60
    ) {
        (self.maximumInFlight, self.rate, self.honorsServerDelays) = (maximumInFlight, rate, honorsServerDelays)
        self.maximumServerDelay = maximumServerDelay
    }
}
