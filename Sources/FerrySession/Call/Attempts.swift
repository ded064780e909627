/// The attempts of a call, if a policy or interceptors may cause more than one.
struct Attempts {
    /// The number of attempts that interceptors may cause.
    static let maximumInterceptions = 19

    /// One attempt; the next one begins with a new value.
    struct Current {
        var number = 1
        /// The number of bytes of the body that had been received before the attempt.
        var bytesAtStart = ByteCount.zero
        /// The budget that has allowed the attempt, if it is a retry of the policy and has not failed.
        var budget: RetryBudgets.Key?
        /// The failure of the attempt, until it is decided what follows.
        var failure: Failure?
        /// The retry that waits for a new stream of the body.
        var pendingRetry: PendingRetry?
        /// Whether the response is delivered, so that no other attempt follows if its body fails.
        var isLast = false

        /// Ends the decision about a failure that no other attempt follows.
        mutating func settle() { (failure, pendingRetry) = (nil, nil) }
    }

    /// The end of an attempt.
    struct Failure {
        /// An error, or a response, which the call holds back.
        var cause: AttemptOutcome.Cause
        /// Whether any of the request may have been sent.
        var wasSent = true
    }

    let settings: RecoverySettings
    /// An end of the call that interceptors are or were asked about, and the note for its error.
    var conclusion: (failure: Failure, note: String?)?
    private let task: TaskIdentity
    /// The task's own URL, with `https` if its host is only used over TLS.
    var originalURL: URL?
    private let startedAt: MonotonicTime

    /// The request before the interceptors change it.
    var base: URLRequest
    /// Whether the call's request has been adapted for the attempt that begins.
    var isAdapted = false
    var current: Current
    /// The number of retries since the last attempt that brought progress.
    private(set) var retries = 0
    /// Whether the task's first request has added its share to the budget.
    private var isCounted = false
    private var interceptions = 0
    private var questions = 0
    /// The number of the question that the interceptors have not answered.
    private var question: Int?

    init(
        _ settings: RecoverySettings,
        _ base: URLRequest,
        task: TaskIdentity,
        originalURL: URL?,
        received: ByteCount,
        at now: MonotonicTime = .now()
    ) {
        current = Current(bytesAtStart: received)
        self.settings = settings
        self.task = task
        self.originalURL = originalURL
        self.base = base
        startedAt = now
    }

    /// Returns the seconds since the first attempt was begun.
    func elapsed(at now: MonotonicTime) -> TimeInterval { now.since(startedAt).seconds }

    /// Returns the description of the current attempt for interceptors.
    func requestAttempt(_ redirects: Redirects) -> RequestAttempt {
        RequestAttempt(
            task,
            current.number,
            redirectCount: redirects.count,
            originalURL: originalURL,
            hasLeftOrigin: redirects.hasLeftOrigin
        )
    }

    mutating func begin(_ retry: PendingRetry, after received: ByteCount) {
        retries = retry.isProgress ? 1 : retries + 1
        current = Current(number: current.number + 1, bytesAtStart: received, budget: retry.budget)
    }

    /// Counts an attempt that an interceptor causes, and returns whether it is allowed.
    mutating func noteInterception() -> Bool {
        interceptions += 1
        return interceptions <= Self.maximumInterceptions
    }

    /// Returns the budget that the task's first request adds its share to.
    mutating func noteRequest(to origin: Origin) -> RetryBudgets.Key? {
        guard !isCounted, let limits = settings.retry?.budget else { return nil }
        isCounted = true
        return RetryBudgets.Key(origin: origin, limits: limits)
    }

    // MARK: - Questions to interceptors

    /// Begins a question, which replaces the open question, if any, and returns its number.
    mutating func ask() -> Int {
        questions += 1
        question = questions
        return questions
    }

    /// Returns whether an answer belongs to the question that is open, and closes it.
    mutating func accept(_ number: Int) -> Bool {
        guard question == number else { return false }
        question = nil
        return true
    }

    /// Whether a decision about what follows a failed attempt is pending.
    var isDeciding: Bool { isAsking || current.pendingRetry != nil }

    /// Whether an interceptor has not answered yet.
    var isAsking: Bool { question != nil }

    // MARK: - Errors

    /// Returns an error whose text has the number of attempts and the note, which explains why there is no further one.
    func annotated(_ error: URLError, note: String?, at now: MonotonicTime) -> URLError {
        var info = error.userInfo
        let text = info[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
        var parts: [String] = []
        if current.number > 1 {
            parts.append("after \(current.number) attempts in \((elapsed(at: now) * 10).rounded() / 10) s")
        }
        if let note, !text.contains(note) { parts.append(note) }
        guard !parts.isEmpty else { return error }
        let annotated = "\(text) (\(parts.joined(separator: "; ")))"
        info[NSLocalizedDescriptionKey] = annotated
        info[NSLocalizedFailureReasonErrorKey] = annotated
        return URLError(error.code, userInfo: info)
    }
}

/// A retry that has been decided on.
struct PendingRetry {
    var delay: TimeInterval
    var start: RetryRule.Start
    var origin: TaskMetrics.Retry.Origin
    var isProgress: Bool
    /// The budget that has allowed the retry.
    var budget: RetryBudgets.Key?
}
