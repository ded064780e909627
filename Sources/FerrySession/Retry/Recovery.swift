/// What an exchange knows about its attempts, if a policy or interceptors may cause more than one.
///
/// A class, so that exchanges without either have only an empty reference. Only the thread that has the engine uses it.
final class Recovery {
    /// How many attempts interceptors may cause.
    static let mostInterceptions = 19

    /// One attempt; the next one begins with a new value.
    struct Attempt {
        var number = 1
        /// The part of the body that had been received before.
        var bytesAtStart = ByteCount.zero
        /// The budget that it was taken from, if it is a retry of the policy that has not failed.
        var budget: RetryBudgets.Key?
        /// How it has failed, while it is decided what follows.
        var failure: Failure?
        /// The retry that waits for a new stream of the body.
        var pendingRetry: PendingRetry?

        /// Ends the decision about a failure that no other attempt follows; the budget gets nothing back for it.
        mutating func settle() { (failure, budget, pendingRetry) = (nil, nil, nil) }
    }

    let settings: RecoverySettings
    private let task: TaskIdentity
    private let originalURL: URL?
    private let startedAt = MonotonicTime.now()

    /// The request before the interceptors change it.
    var base: URLRequest
    /// Whether the exchange's request has been adapted for the attempt that begins.
    var isAdapted = false
    var attempt: Attempt
    /// The retries so far that have brought no progress.
    private(set) var retries = 0
    /// Whether the task counts among the requests that fill the budget.
    var isCounted = false
    private var interceptions = 0
    private var questions = 0
    /// The Swift task in which interceptors are asked; their answer has the number of the question.
    private var pending: (question: Int, task: Task<Void, Never>)?

    /// How an attempt has ended.
    enum Failure {
        /// With a response, which the exchange holds back as its question.
        case response(HTTPURLResponse)
        case error(URLError, wasSent: Bool)
    }

    init(
        _ settings: RecoverySettings,
        _ request: URLRequest,
        task: TaskIdentity,
        originalURL: URL?,
        received: ByteCount
    ) {
        attempt = Attempt(bytesAtStart: received)
        self.settings = settings
        self.task = task
        self.originalURL = originalURL
        base = request
    }

    /// The seconds since the first attempt was begun.
    var elapsed: TimeInterval { MonotonicTime.now().since(startedAt).seconds }

    /// Returns the description of the current attempt for interceptors.
    func requestAttempt(_ redirects: Exchange.Redirects) -> RequestAttempt {
        RequestAttempt(
            task,
            attempt.number,
            redirectCount: redirects.count,
            originalURL: originalURL,
            hasLeftOrigin: redirects.hasLeftOrigin
        )
    }

    /// Counts the attempt that begins after a failure.
    func begin(_ retry: PendingRetry, after received: ByteCount) {
        retries = retry.isProgress ? 1 : retries + 1
        attempt = Attempt(number: attempt.number + 1, bytesAtStart: received, budget: retry.budget)
    }

    /// Counts an attempt that an interceptor causes, and returns whether it may.
    func noteInterception() -> Bool {
        interceptions += 1
        return interceptions <= Self.mostInterceptions
    }

    // MARK: - Questions to interceptors

    /// Asks in a Swift task; `ask` passes the number of the question on with the answer.
    func ask(_ ask: @escaping @Sendable (Int) async -> Void) {
        stopAsking()
        questions += 1
        let number = questions
        pending = (number, Task { await ask(number) })
    }

    /// Returns whether an answer belongs to the question that is open, and closes it.
    func accept(_ question: Int) -> Bool {
        guard pending?.question == question else { return false }
        pending = nil
        return true
    }

    /// Whether it is not decided yet what follows a failed attempt.
    var isDeciding: Bool { isAsking || attempt.pendingRetry != nil }

    /// Whether an interceptor has not answered yet.
    var isAsking: Bool { pending != nil }

    func stopAsking() {
        guard let task = pending?.task else { return }
        pending = nil
        // Not on this thread, since cancellation handlers are user code.
        Task.detached { task.cancel() }
    }

    // MARK: - Errors

    /// Returns an error that tells the number of attempts, and why there is no further one if that needs to be said.
    func annotated(_ error: URLError, _ note: String?) -> URLError {
        guard attempt.number > 1 || note != nil else { return error }
        var parts: [String] = []
        if attempt.number > 1 {
            parts.append("after \(attempt.number) attempts in \((elapsed * 10).rounded() / 10) s")
        }
        if let note { parts.append(note) }
        var info = error.userInfo
        let text = info[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
        let annotated = "\(text) (\(parts.joined(separator: "; ")))"
        info[NSLocalizedDescriptionKey] = annotated
        info[NSLocalizedFailureReasonErrorKey] = annotated
        return URLError(error.code, userInfo: info)
    }
}

/// The policy, the interceptors and the deadline of tasks: a session's, a manager's, or a task's own.
///
/// A class, so that most tasks have only an empty reference.
package final class RecoverySettings: Sendable {
    package struct Values: Sendable {
        package var retry: RetryPolicy?
        package var interceptors: RequestInterceptors?
        /// The time limit of the whole call.
        fileprivate(set) var deadline: TimeSpan?

        /// The time limit of the whole call, in seconds.
        package var deadlineInSeconds: TimeInterval? {
            get { deadline?.seconds }
            set { deadline = newValue.map { TimeSpan(seconds: $0) } }
        }

        package var isEmpty: Bool { retry == nil && interceptors == nil && deadline == nil }
    }

    package let values: Values

    /// Makes settings from others with changes; without others, from empty ones.
    package init(_ old: RecoverySettings? = nil, changing change: (inout Values) -> Void) {
        var values = old?.values ?? Values()
        change(&values)
        self.values = values
    }

    /// Makes settings whose values are those of `preferred`, or else of `others`.
    package convenience init(_ preferred: RecoverySettings?, orElse others: RecoverySettings) {
        self.init(others) { values in
            values.retry = preferred?.values.retry ?? values.retry
            values.interceptors = preferred?.values.interceptors ?? values.interceptors
            values.deadline = preferred?.values.deadline ?? values.deadline
        }
    }

    package var retry: RetryPolicy? { values.retry }
    package var interceptors: RequestInterceptors? { values.interceptors }
    var deadline: TimeSpan? { values.deadline }

    /// Whether a task may make more attempts than one, or asks before it makes one.
    var affectsAttempts: Bool { retry != nil || interceptors != nil }

    /// Whether a response with a status is held back until it is known whether the request is sent again.
    func concerns(_ status: Int) -> Bool {
        retry?.statuses.contains(status) == true || interceptors?.failureStatuses.contains(status) == true
    }

    /// Returns the request with the key that makes repeating it safe, if the policy adds one.
    func withIdempotencyKey(_ request: URLRequest) -> URLRequest {
        guard let retry, retry.addsIdempotencyKey, request.value(forHTTPHeaderField: "Idempotency-Key") == nil else {
            return request
        }
        let method = request.httpMethod ?? "GET"
        if RepetitionRule.isIdempotent(method) || retry.additionalMethods.contains(method) { return request }
        var request = request
        // The value is a string of RFC 8941, with its quotation marks.
        request.setValue("\"\(UUID().uuidString.lowercased())\"", forHTTPHeaderField: "Idempotency-Key")
        return request
    }
}
