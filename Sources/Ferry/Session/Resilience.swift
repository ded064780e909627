/// The settings by which a manager's tasks survive failing servers and networks; see ``SessionManager/resilience``.
///
/// <doc:ResilientManagers> lists what ``standard`` does in which case.
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

    /// A deadline of 60 seconds, `RetryPolicy.standard`, and a new `CircuitBreaker` with its default rule.
    public static var standard: Resilience {
        Resilience(deadline: 60, retryPolicy: .standard, circuitBreaker: CircuitBreaker())
    }

    var isEmpty: Bool { deadline == nil && retryPolicy == nil && circuitBreaker == nil }
}
