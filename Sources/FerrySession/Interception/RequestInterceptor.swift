/// A type that changes the request of each attempt, and decides whether a failed attempt is followed by another one.
///
/// A task asks its interceptors in their order:
///
/// ```
/// resume() → adapt → cookies, credentials, cache → attempt → retry ─┬→ completion
///              ↑                                                    │
///              └───────────────── delay ────────────────────────────┘
/// ```
///
/// `adapt` is called before each attempt: the first one, each retry, and each redirect or authentication challenge that
/// is followed. It starts from the request without the changes of earlier attempts, so that a token or a signature is
/// never added twice. A request waits for a connection and for ``RequestLimits`` after that, so a token or a signature
/// must be valid for longer. `retry` is called after an attempt that has failed, before the ``RetryPolicy`` is asked.
///
/// Both run in a task of Swift's concurrency, never on the engine's thread, and may wait: the call holds neither a
/// thread nor a connection slot in the meantime. The timeouts of the task continue. When the task is cancelled or a
/// timeout expires, the Swift task is cancelled and its result is ignored.
///
/// After a redirect to another origin the fields `Authorization`, `Cookie`, `Proxy-Authorization`, and
/// ``CurlSession/Options/sensitiveHeaders`` that an interceptor adds are removed again, so that no credential reaches
/// another origin.
///
/// Loads by the classes of a configuration's `protocolClasses` are not intercepted. Alamofire: `RequestInterceptor`.
public protocol RequestInterceptor: Sendable {
    /// The status codes of the responses about which ``retry(_:dueTo:)`` is asked; 400 to 599 by default.
    ///
    /// Such a response is held back, with up to 64 KiB of its body, until the interceptor has decided. The property is
    /// read when the interceptor is given to a session, a manager or a task, and again after a failed response. It
    /// should always return the same set.
    var failureStatusCodes: Set<Int> { get }

    /// Returns the request to send in an attempt, for one that the interceptors before this one have changed.
    ///
    /// - Returns: The changed request. Its body is ignored: the task sends the body that it was made with.
    /// - Throws: The reason why the request must not be sent, with which the task then fails.
    func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest

    /// Decides what follows a failed attempt.
    ///
    /// - Returns: The decision. The first one other than ``RetryDecision/proceed`` counts.
    func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision
}

extension RequestInterceptor {
    /// 400 to 599.
    public var failureStatusCodes: Set<Int> { RequestInterceptors.allFailures }

    /// Returns the request unchanged.
    public func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest { request }

    /// Returns ``RetryDecision/proceed``.
    public func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision { .proceed }
}

/// An interceptor that can usually change a request without waiting, which saves a change of threads.
///
/// If all interceptors of a task are of this kind and none has to wait, the request of the first attempt is changed on
/// the thread that resumes the task.
public protocol ImmediateRequestInterceptor: RequestInterceptor {
    /// Changes the request that is sent, as the interceptors before this one have changed it, unless that requires
    /// waiting.
    ///
    /// It is called on the thread that resumes the task and must not block.
    ///
    /// - Returns: `false` to be asked by ``RequestInterceptor/adapt(_:for:)`` instead because it has to wait; changes
    ///   are discarded then.
    /// - Throws: The reason why the request must not be sent, with which the task then fails.
    func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool
}

extension ImmediateRequestInterceptor {
    /// Returns the request of ``adaptImmediately(_:for:)``, or the unchanged request if that returns `false`.
    public func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
        var adapted = AdaptedRequest(request)
        return try adaptImmediately(&adapted, for: attempt) ? adapted.urlRequest : request
    }
}

/// An interceptor that can respond to a request itself, so that nothing is sent: for tests, or without a network.
public protocol RespondingInterceptor: RequestInterceptor {
    /// Returns the response to a request, or `nil` to send the request.
    ///
    /// It is called after all interceptors have adapted the request. The first response counts. A response with one of
    /// the ``RequestInterceptor/failureStatusCodes`` or one of the policy's statuses is treated as the server's.
    ///
    /// - Throws: The error that the attempt fails with. A `URLError` is treated as one of the network.
    func respond(to request: URLRequest, for attempt: RequestAttempt) async throws -> InterceptedResponse?
}

/// An interceptor that is called for each task on the thread that resumes it, where task-local values are the caller's.
package protocol TaskStartObserver: RequestInterceptor {
    /// Called before the request of the first attempt is adapted; it must not block.
    func taskWillStart(_ attempt: RequestAttempt)
}

/// The identity of a task among those of all sessions in the process.
public struct TaskIdentity: Hashable, Sendable {
    /// The number of the session.
    let session: UInt64
    /// The identifier of the task in its session.
    let task: Int
}

/// One of the attempts that a task makes to get its response.
public struct RequestAttempt: Sendable {
    /// The number of the attempt, from 1; redirects and authentication challenges do not count as attempts.
    public let number: Int
    /// The number of redirects that have been followed.
    public let redirectCount: Int
    /// The identifier of the task in its session; the tasks of several sessions may have the same one.
    public let taskIdentifier: Int
    /// The identity of the task among those of all sessions in the process.
    public var taskIdentity: TaskIdentity { TaskIdentity(session: session, task: taskIdentifier) }
    /// The number of the task's session.
    private let session: UInt64
    /// The URL of the request that the task was made with.
    public let originalURL: URL?
    /// A Boolean value that indicates whether a redirect has led to another origin than the origin of ``originalURL``.
    public let hasLeftOrigin: Bool

    /// Makes a description of an attempt of a task that belongs to no session.
    public init(
        number: Int = 1,
        redirectCount: Int = 0,
        taskIdentifier: Int = 0,
        originalURL: URL?,
        hasLeftOrigin: Bool = false
    ) {
        let task = TaskIdentity(session: 0, task: taskIdentifier)
        self.init(task, number, redirectCount: redirectCount, originalURL: originalURL, hasLeftOrigin: hasLeftOrigin)
    }

    init(
        _ task: TaskIdentity,
        _ number: Int = 1,
        redirectCount: Int = 0,
        originalURL: URL?,
        hasLeftOrigin: Bool = false
    ) {
        (session, taskIdentifier) = (task.session, task.task)
        self.number = number
        self.redirectCount = redirectCount
        self.originalURL = originalURL
        self.hasLeftOrigin = hasLeftOrigin
    }
}

/// The response or error that an attempt has ended with, usually a failure.
public struct AttemptOutcome: Sendable {
    /// The response or error that an attempt ends with.
    public enum Cause: Sendable {
        /// A response, usually with a status that means a failure.
        case response(HTTPURLResponse)
        /// An error: of the connection, or a timeout.
        case error(URLError)
    }

    /// The response or error.
    public let cause: Cause
    /// The request that was sent, as the interceptors have changed it.
    public let request: URLRequest
    /// A Boolean value that indicates whether sending the request again has no further effect on the server.
    ///
    /// It is `true` for idempotent methods (RFC 9110, section 9.2.2), for the ``RetryPolicy/additionalMethods`` of the
    /// task's policy, for a request with an `Idempotency-Key`, and for a request of which no byte was sent.
    public let isRepeatable: Bool
    /// The body of the response after its content codings were undone, or the beginning of it; empty for an error.
    public let body: Data
    /// A Boolean value that indicates whether ``body`` is the whole body.
    public let isBodyComplete: Bool

    /// Makes an outcome.
    public init(
        _ cause: Cause,
        request: URLRequest,
        isRepeatable: Bool,
        body: Data = Data(),
        isBodyComplete: Bool = true
    ) {
        (self.cause, self.request, self.isRepeatable) = (cause, request, isRepeatable)
        (self.body, self.isBodyComplete) = (body, isBodyComplete)
    }

    /// The response, unless the attempt has ended with an error.
    public var response: HTTPURLResponse? { cause.response }
    /// The error, unless the attempt has ended with a response.
    public var error: URLError? { cause.error }
}

extension AttemptOutcome.Cause {
    var response: HTTPURLResponse? { if case .response(let response) = self { response } else { nil } }
    var error: URLError? { if case .error(let error) = self { error } else { nil } }
}

/// The decision about what follows a failed attempt.
public enum RetryDecision: Sendable {
    /// The next interceptor decides, and after the last one the task's ``RetryPolicy``.
    case proceed
    /// The task ends with the response or error, without asking the policy.
    case doNotRetry
    /// The request is sent again immediately.
    ///
    /// Interceptors cause at most 20 attempts of a task. A request whose response has been delivered in part is sent
    /// again only if the rest of the body can be requested, or if the task delivers its result at the end.
    case retry
    /// The request is sent again after a delay in seconds; an infinite delay or NaN ends the task.
    case retryAfter(TimeInterval)
    /// The task fails with an error.
    case fail(any Error)
}

/// A response that an interceptor gives instead of a server.
public struct InterceptedResponse: Sendable {
    /// The status code.
    public var statusCode: Int
    /// The header fields.
    public var headers: [String: String]
    /// Further header fields, in order, for names that come several times, such as `Set-Cookie`; empty by default.
    public var additionalHeaders: [(name: String, value: String)] = []
    /// The body.
    public var body: Data

    /// Makes a response; a `Content-Length` is added if the header fields have none.
    public init(statusCode: Int = 200, headers: [String: String] = [:], body: Data = Data()) {
        self.statusCode = statusCode
        self.headers = headers
        self.body = body
    }

    var fields: [ResponseHead.Field] {
        let all = headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) } + additionalHeaders
        var fields = all.map { ResponseHead.Field(name: $0.name, value: $0.value) }
        let hasLength = fields.contains { ["content-length", "transfer-encoding"].contains($0.name.folded) }
        if !hasLength { fields.append(.init(name: "Content-Length", value: "\(body.count)")) }
        return fields
    }
}

extension RequestAttempt: RedactedDescription {
    /// The number of the attempt, and the URL without secrets.
    public var description: String { "attempt \(number) of " + (originalURL?.presentableText ?? "no URL") }
}

extension AttemptOutcome: RedactedDescription {
    /// The request without secrets, and the status or error.
    public var description: String { "\(request.presentableText): \(cause.text)" }
}

extension AttemptOutcome.Cause {
    /// The status or error.
    fileprivate var text: String {
        switch self {
        case .response(let response): "status \(response.statusCode)"
        case .error(let error): error.localizedDescription
        }
    }
}
