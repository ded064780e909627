import FerrySession

/// What a manager's tasks do about servers and networks that fail: see ``SessionManager/resilience``.
///
/// | case | with ``standard`` |
/// | --- | --- |
/// | a connection is refused, reset or lost, or a name is not found | an idempotent request is sent again up to three times, after random delays that double |
/// | a response has the status 408, 425, 429, 500, 502, 503 or 504 | the same, after the delay of `Retry-After` where there is one |
/// | a download is interrupted | only the rest is requested, where the server has a validator |
/// | a request is not idempotent | it is sent again only if it cannot have reached the server |
/// | many requests to a server fail | retries are limited to a tenth of its requests |
/// | half of at least ten requests within 10 s have failed | requests to the server fail at once for 5 s, and for longer after each failed trial |
/// | everything takes too long | the task fails after 60 s, with all attempts and delays |
public struct Resilience: Sendable {
    /// The time limit of each task, in seconds; nil for the transport's.
    public var deadline: TimeInterval?
    /// The policy that decides which requests are sent again; nil for the transport's.
    public var retryPolicy: RetryPolicy?
    /// The breaker that stops requests to servers that keep failing; nil for the transport's.
    public var circuitBreaker: CircuitBreaker?

    /// Creates a value.
    public init(deadline: TimeInterval? = nil, retryPolicy: RetryPolicy? = nil, circuitBreaker: CircuitBreaker? = nil) {
        self.deadline = deadline
        self.retryPolicy = retryPolicy
        self.circuitBreaker = circuitBreaker
    }

    /// A deadline of 60 seconds, ``RetryPolicy/standard``, and a new ``CircuitBreaker`` with its default rule.
    public static var standard: Resilience {
        Resilience(deadline: 60, retryPolicy: .standard, circuitBreaker: CircuitBreaker())
    }

    var isEmpty: Bool { deadline == nil && retryPolicy == nil && circuitBreaker == nil }
}
