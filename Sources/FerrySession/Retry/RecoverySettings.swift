/// The policy, the interceptors and the deadline of tasks: a session's, a manager's, or a task's own.
///
/// A class, so that most tasks have only an empty reference.
package final class RecoverySettings: Sendable {
    package struct Values: Sendable {
        package var retry: RetryPolicy?
        package var interceptors: RequestInterceptors?
        package var circuitBreaker: CircuitBreaker?
        /// The time limit of the whole call.
        fileprivate(set) var deadline: TimeSpan?

        /// The time limit of the whole call, in seconds.
        package var deadlineInSeconds: TimeInterval? {
            get { deadline?.seconds }
            set { deadline = newValue.map { TimeSpan(seconds: $0) } }
        }

        package var isEmpty: Bool { retry == nil && interceptors == nil && deadline == nil && circuitBreaker == nil }
    }

    package let values: Values

    /// Makes settings from others with changes; without others, from empty ones.
    package init(_ old: RecoverySettings? = nil, changing change: (inout Values) -> Void) {
        var values = old?.values ?? Values()
        change(&values)
        self.values = values
    }

    /// Makes settings with the values of `preferred`; `others` provides the missing values.
    package convenience init(_ preferred: RecoverySettings?, orElse others: RecoverySettings) {
        self.init(others) { values in
            values.retry = preferred?.values.retry ?? values.retry
            values.interceptors = preferred?.values.interceptors ?? values.interceptors
            values.deadline = preferred?.values.deadline ?? values.deadline
            values.circuitBreaker = preferred?.values.circuitBreaker ?? values.circuitBreaker
        }
    }

    package var retry: RetryPolicy? { values.retry }
    package var interceptors: RequestInterceptors? { values.interceptors }
    var deadline: TimeSpan? { values.deadline }
    var circuitBreaker: CircuitBreaker? { values.circuitBreaker }

    /// Whether a task may make more attempts than one, or asks before it makes one.
    var affectsAttempts: Bool { retry != nil || interceptors != nil }

    /// Whether a response with a status is held back until it is known whether the request is sent again.
    func concerns(_ status: Int) -> Bool {
        retry?.statusCodes.contains(status) == true || interceptors?.failureStatusCodes.contains(status) == true
    }

    /// Returns the request with the key that makes repeating it safe, if the policy adds one.
    func withIdempotencyKey(_ request: URLRequest) -> URLRequest {
        guard let retry, retry.addsIdempotencyKey, request.value(forHTTPHeaderField: "Idempotency-Key") == nil else {
            return request
        }
        // Foundation ends the process if a request without a URL is copied.
        guard request.url != nil else { return request }
        let method = request.httpMethod ?? "GET"
        if RepetitionRule.isIdempotent(method) || retry.additionalMethods.contains(method) { return request }
        var request = request
        // The value is a string of RFC 8941, with its quotation marks.
        request.setValue("\"\(UUID.random.uuidString.lowercased())\"", forHTTPHeaderField: "Idempotency-Key")
        return request
    }
}
