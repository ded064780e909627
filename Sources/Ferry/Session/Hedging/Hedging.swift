/// An object that sends a second request if the first one takes unusually long, and uses the first good response.
///
/// ```swift
/// manager.hedging = Hedging()
/// ```
///
/// One slow server among several, a lost packet or a pause of the server then delays a call by little. The other
/// request is cancelled as soon as one has a good response: any response but those that `RetryPolicy.standard` would
/// repeat.
///
/// It applies to calls whose task the manager resumes itself: the `async` methods that return a decoded response,
/// ``HTTPSessionManager/send(_:completionHandler:)`` and the verbs, for requests with a safe method (RFC 9110, section
/// 9.2.1) and without closures for progress. Each of the two requests is a task of its own with retries, notifications
/// and monitors. A call with a completion handler returns the first task. Cancelling it ends the call, unless it has
/// ended already and the second response is awaited; while it is suspended, no second request is sent; and if the
/// second response is used, it ends as cancelled.
///
/// Managers can share an object, which keeps durations and a budget for each origin.
public final class Hedging: Sendable {
    /// The rule for when, and how often, a second request is sent.
    public struct Rule: Sendable, Hashable {
        /// The time after which it is sent.
        public enum Delay: Sendable, Hashable {
            /// The time within which this share of the last 256 requests to the origin has ended; from 0 to 1.
            ///
            /// Before 20 requests have ended, there is no second one.
            case percentile(Double)
            /// A number of seconds.
            case seconds(TimeInterval)
        }

        /// The time after which the second request is sent; by default, that within which 95 % of requests end.
        public var delay = Delay.percentile(0.95)
        /// The number of second requests for each request, 0.05 by default; up to ten are saved up for each origin.
        public var budget = 0.05

        /// Creates the default rule, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }

    /// The numbers of calls, of second requests, and of those whose response was used.
    public struct Counts: Sendable, Hashable {
        /// The number of calls.
        public var calls = 0
        /// The number of second requests.
        public var second = 0
        /// The number of calls whose response is that of the second request.
        public var used = 0
    }

    private struct State {
        var origins: [Origin: HedgingState] = [:]
        var counts = Counts()
    }

    /// The largest number of origins that are kept; beyond it, the least recently used one is removed.
    private static let maximumOrigins = 1_000

    private let rule: Rule
    private let state = Mutex(State())

    /// Creates an object with a rule.
    public init(_ rule: Rule = Rule()) { self.rule = rule }

    /// The counts so far, of all origins together.
    public var counts: Counts { state.withLock { $0.counts } }

    /// Notes a call, and returns the time after which a second request may be sent, if at all.
    func begin(_ origin: Origin, at now: MonotonicTime) -> TimeSpan? {
        state.withLock { state in
            state.counts.calls += 1
            if state.origins.count >= Self.maximumOrigins, state.origins[origin] == nil,
                let oldest = state.origins.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.origins[oldest.key] = nil
            }
            return state.origins[origin, default: HedgingState(rule, at: now)].begin(at: now)
        }
    }

    /// Returns whether the second request may be sent.
    func take(_ origin: Origin) -> Bool {
        state.withLock { state in
            guard state.origins[origin]?.take() == true else { return false }
            state.counts.second += 1
            return true
        }
    }

    /// Notes how long a call has taken, if that is known, and whether the second request was used.
    func end(_ origin: Origin, after duration: TimeSpan?, isSecond: Bool) {
        state.withLock { state in
            if let duration { state.origins[origin]?.note(duration) }
            if isSecond { state.counts.used += 1 }
        }
    }
}
