/// What an exchange knows about its attempts, if a policy or interceptors may cause more than one.
///
/// A class, so that exchanges without either have only an empty reference. Only the thread that has the engine uses it.
final class Recovery {
    /// How many attempts interceptors may cause.
    static let mostInterceptions = 19
    /// The number of bytes from which an attempt has made progress, so that a server cannot cause an attempt for each
    /// byte.
    static let leastProgress = ByteCount(clamping: 1_024)

    let settings: RecoverySettings
    private let taskIdentifier: Int
    private let originalURL: URL?
    private let startedAt = MonotonicTime.now()

    /// The request before the interceptors change it.
    var base: URLRequest
    /// Whether the exchange's request has been adapted for the attempt that begins.
    var isAdapted = false
    /// The number of the current attempt.
    private(set) var number = 1
    /// The retries so far that have brought no progress.
    private(set) var retries = 0
    /// The part of the body that had been received before the current attempt.
    private(set) var bytesAtStart = ByteCount.zero
    /// The failure that an interceptor or the delegate is asked about.
    var failure: Failure?
    /// A retry that waits for a new stream of the body.
    var pendingRetry: PendingRetry?
    /// Whether the task counts among the requests that fill the budget.
    var isCounted = false
    /// The budget that the current attempt was taken from.
    var chargedBudget: RetryBudgets.Key?
    /// Why the last failure is final, if that needs to be said.
    var note: String?
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

    init(_ settings: RecoverySettings, _ request: URLRequest, taskIdentifier: Int, originalURL: URL?) {
        self.settings = settings
        self.taskIdentifier = taskIdentifier
        self.originalURL = originalURL
        base = request
    }

    func attempt(_ redirects: Exchange.Redirects) -> RequestAttempt {
        RequestAttempt(
            number: number,
            redirectCount: redirects.count,
            taskIdentifier: taskIdentifier,
            originalURL: originalURL,
            hasLeftOrigin: redirects.hasLeftOrigin
        )
    }

    /// Counts the attempt that begins after a failure.
    func beginRetry(after received: ByteCount, isProgress: Bool) {
        number += 1
        retries = isProgress ? 1 : retries + 1
        bytesAtStart = received
        failure = nil
    }

    /// Counts an attempt that an interceptor causes, and returns whether it may.
    func noteInterception() -> Bool {
        interceptions += 1
        return interceptions <= Self.mostInterceptions
    }

    func noteResumption(at offset: ByteCount) { bytesAtStart = offset }

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

    /// Whether an interceptor has not answered yet.
    var isAsking: Bool { pending != nil }

    func stopAsking() {
        guard let task = pending?.task else { return }
        pending = nil
        // Not on this thread, since cancellation handlers are user code.
        Task.detached { task.cancel() }
    }

    // MARK: - Errors

    /// Returns an error that tells the number of attempts and why there is no further one.
    func annotated(_ error: URLError) -> URLError {
        guard number > 1 || note != nil else { return error }
        var parts: [String] = []
        if number > 1 {
            let seconds = Double(MonotonicTime.now().since(startedAt)) / 1_000_000_000
            parts.append("after \(number) attempts in \((seconds * 10).rounded() / 10) s")
        }
        if let note { parts.append(note) }
        var info = error.userInfo
        let text = info[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
        info[NSLocalizedDescriptionKey] = "\(text) (\(parts.joined(separator: "; ")))"
        return URLError(error.code, userInfo: info)
    }
}

/// The policy, the interceptors and the deadline of tasks: a session's, or a task's own.
package final class RecoverySettings: Sendable {
    package let retry: RetryPolicy?
    package let interceptors: RequestInterceptors?
    /// The time limit of the whole call, in nanoseconds.
    package let deadline: UInt64?

    package init(retry: RetryPolicy?, interceptors: RequestInterceptors?, deadline: UInt64?) {
        (self.retry, self.interceptors, self.deadline) = (retry, interceptors, deadline)
    }

    /// Returns settings with a deadline in seconds; `nil` where there is nothing to set.
    package static func make(
        retry: RetryPolicy?,
        interceptors: [any RequestInterceptor],
        deadline: TimeInterval?
    ) -> RecoverySettings? {
        let interceptors = RequestInterceptors(interceptors)
        let deadline = deadline.flatMap { UInt64.nanoseconds(inSeconds: $0) }
        if retry == nil, interceptors == nil, deadline == nil { return nil }
        return RecoverySettings(retry: retry, interceptors: interceptors, deadline: deadline)
    }

    /// The deadline in seconds.
    package var deadlineInSeconds: TimeInterval? { deadline.map { Double($0) / 1_000_000_000 } }

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
