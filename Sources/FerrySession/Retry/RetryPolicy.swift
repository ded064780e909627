/// The conditions under which a task sends its request again by itself.
///
/// A task with a policy remains one task: it has one identifier, one `Progress` and one completion. Its delegate learns
/// of an attempt that is followed by another one only through ``CurlSessionDelegate`` and
/// ``TaskMetrics/retries``.
///
/// ```swift
/// var options = CurlSession.Options()
/// options.retryPolicy = .standard
/// ```
///
/// A request is sent again only if that is safe: its method is idempotent (RFC 9110, section 9.2.2), it has an
/// `Idempotency-Key`, or no byte of it was sent. Its body must be available again; for a stream the delegate is asked
/// for a new one. Once a part of the response has been delivered, only the rest is requested, by `Range` and `If-Range`
/// (RFC 9110, section 14); downloads, and tasks that collect the body for a handler, may also begin from the start.
public struct RetryPolicy: Sendable, Hashable {
    /// A kind of failure of the connection.
    public enum Failure: Sendable, Hashable, CaseIterable {
        /// The name of the host was not found; the system does not say whether that may change.
        case nameLookup
        /// The server or the proxy could not be connected to.
        case connect
        /// The connection was not established in time.
        case connectTimeout
        /// The connection was lost: reset, or closed before the end of the response.
        case connectionLost
        /// There was no response for the request's `timeoutInterval` after the request was sent.
        case inactivityTimeout
    }

    /// The times between attempts, in seconds.
    public struct Backoff: Sendable, Hashable {
        /// The upper limit of the first delay; 0.5 by default.
        public var base: TimeInterval
        /// The factor by which the upper limit grows with each attempt; 2 by default.
        public var multiplier: Double
        /// The largest upper limit; 30 by default.
        public var cap: TimeInterval
        /// A Boolean value that indicates whether a delay is chosen at random between zero and its upper limit; `true`
        /// by default, so that clients that have failed together do not return together.
        public var hasJitter: Bool

        /// Makes a backoff.
        public init(base: TimeInterval = 0.5, multiplier: Double = 2, cap: TimeInterval = 30, hasJitter: Bool = true) {
            self.base = base
            self.multiplier = multiplier
            self.cap = cap
            self.hasJitter = hasJitter
        }

        /// Returns the delay before a retry in seconds, at least zero and at most ``cap``; `random`, from 0 to 1,
        /// chooses it.
        ///
        /// `retry` is the number of retries before it since the last progress.
        package func delay(retry: Int, random: Double) -> TimeInterval {
            let cap = cap > 0 || cap.isNaN ? cap : 0
            let limit = max(0, base) * pow(max(1, multiplier), Double(min(max(0, retry), 1_000)))
            // A value that is not a number, such as zero times infinity, must not shorten the delay.
            let bounded = limit.isNaN || base.isNaN ? cap : cap.isNaN ? limit : min(limit, cap)
            guard bounded.isFinite else { return .infinity }
            return hasJitter ? bounded * min(max(0, random), 1) : bounded
        }
    }

    /// The limit on retries that fail, as a share of the requests to an origin; all tasks of a session share it.
    ///
    /// Only a retry that fails uses the budget, so every failure of a server that fails now and then is retried. A
    /// server that is overloaded or gone receives about 10% more requests than from clients without retries, or about
    /// 50% more if its failures take long, and not four times as many.
    public struct Budget: Sendable, Hashable {
        /// The number of retries that each request adds to the budget; 0.1 by default.
        public var share: Double
        /// The number of retries that are available at first, and to which the budget returns at one in a second; 10 by
        /// default.
        public var minimum: Int

        /// Makes a budget.
        public init(share: Double = 0.1, minimum: Int = 10) {
            self.share = share
            self.minimum = minimum
        }
    }

    /// The smallest number of new bytes of a body that counts as progress, so that a server cannot cause an attempt for
    /// each byte.
    package static let minimumProgress: Int64 = 1_024

    /// The standard policy, with the default of each property.
    public static let standard = RetryPolicy()

    /// The number of attempts after the first one; 3 by default.
    ///
    /// An attempt that has added at least 1 KiB to a body whose rest is then requested resets the count.
    public var maximumRetries = 3
    /// The times between attempts.
    public var backoff = Backoff()
    /// The status codes of responses that are not delivered if the request can be sent again; 408, 425, 429, 500, 502,
    /// 503 and 504 by default.
    public var statusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    /// The failures after which the request is sent again; all but ``Failure/inactivityTimeout`` by default.
    ///
    /// An inactivity timeout in the middle of a response's body counts as a lost connection.
    ///
    /// Refused certificates and cancelled tasks are never retried.
    public var failures: Set<Failure> = [.nameLookup, .connect, .connectTimeout, .connectionLost]
    /// Additional methods that are treated as idempotent, for servers whose interface guarantees that they are.
    public var additionalMethods: Set<String> = []
    /// The longest delay, in seconds, that is accepted from a server's `Retry-After` (RFC 9110, section 10.2.3) or
    /// `RateLimit` field; 60 by default.
    ///
    /// Such a delay takes precedence over the backoff. If a server asks for a longer one, its response is delivered
    /// immediately.
    public var maximumServerDelay: TimeInterval = 60
    /// The time, in seconds from the task's start, after which the policy causes no further attempt; `nil`, the
    /// default, for no limit.
    ///
    /// Unlike ``CurlSession/Options/deadline`` it ends no attempt that has begun.
    public var maximumRetryTime: TimeInterval?
    /// A Boolean value that indicates whether a request whose method is not idempotent gets an `Idempotency-Key` field
    /// with a random value, the same in each attempt, unless it has one; `false` by default.
    ///
    /// Set it for servers that recognize the field (draft-ietf-httpapi-idempotency-key-header).
    public var addsIdempotencyKey = false
    /// A Boolean value that indicates whether the rest of a body is requested after a lost connection; `true` by
    /// default.
    ///
    /// If it is `false`, a task fails if its response has begun and could be continued.
    public var continuesBodies = true
    /// The limit on retries that fail; `nil` for none.
    public var budget: Budget? = Budget()

    /// Creates the standard policy, which a closure may change.
    public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }

    /// Returns whether a stream that has ended with an error is opened again.
    ///
    /// An inactivity timeout counts as a lost connection, since the stream was open.
    package func isTemporary(_ error: URLError) -> Bool {
        var situation = RetryRule.Situation()
        (situation.outcome, situation.delivered) = (RetryRule.outcome(of: error, wasSent: true), .final)
        return RetryRule.isRetried(situation, self)
    }
}
