/// An interceptor that authenticates requests, and refreshes the credential when it expires or is refused.
///
/// ```swift
/// let authentication = AuthenticationInterceptor.bearer(initial: token) { token in
///     try await account.newToken(replacing: token)
/// }
/// ```
///
/// - Only one refresh runs, however many requests need a new credential. If it fails, the requests that wait for it
///   fail with its error; a later request may try again, within ``AuthenticationOptions/maximumRefreshes``.
/// - A credential that is about to expire is refreshed in the background; requests wait only after it has expired.
/// - A request that is refused with an old credential is sent again with the current one, without a refresh. A request
///   that is sent again and still refused ends with the server's response.
/// - A request that is cancelled stops waiting at once, and the refresh continues for the others.
/// - The credential is sent only to ``AuthenticationOptions/origins``, and never after a redirect to another origin.
///
/// One interceptor may be used by several sessions, which then share the credential. It appears in no description.
/// Alamofire: `AuthenticationInterceptor`.
public final class AuthenticationInterceptor<A: Authenticator>: ImmediateRequestInterceptor {
    /// The rules of the credential.
    public let authenticator: A
    /// The options.
    public let options: AuthenticationOptions

    private let scope: CredentialScope
    private let didRefresh: (@Sendable (A.Credential) -> Void)?
    private let clock: @Sendable () -> Date
    private let state: Mutex<RefreshState<A.Credential>>

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - authenticator: The rules of the credential.
    ///   - credential: The first credential. If it is `nil`, the first request waits for a refresh.
    ///   - options: The options.
    ///   - didRefresh: A closure that is called with each new credential, for example to store it, before the requests
    ///     that wait for it are sent. It is not called when ``credential`` is set.
    public convenience init(
        _ authenticator: A,
        credential: A.Credential? = nil,
        options: AuthenticationOptions = AuthenticationOptions(),
        didRefresh: (@Sendable (A.Credential) -> Void)? = nil
    ) {
        self.init(authenticator, credential: credential, options: options, didRefresh: didRefresh, clock: { .current })
    }

    package init(
        _ authenticator: A,
        credential: A.Credential?,
        options: AuthenticationOptions = AuthenticationOptions(),
        didRefresh: (@Sendable (A.Credential) -> Void)? = nil,
        clock: @escaping @Sendable () -> Date
    ) {
        self.authenticator = authenticator
        self.options = options
        self.didRefresh = didRefresh
        self.clock = clock
        scope = CredentialScope(options.origins)
        let held = credential.map { HeldCredential($0, expirationDate: authenticator.expirationDate(of: $0)) }
        state = Mutex(RefreshState(held, options: options))
    }

    /// The current credential, or `nil` if there is none.
    ///
    /// Set it after the user has signed in. Setting `nil`, for example after the user has signed out, makes the next
    /// request call ``Authenticator/refresh(_:)`` without a credential. A refresh that runs is cancelled, its result is
    /// ignored, and the count of ``AuthenticationOptions/maximumRefreshes`` begins again.
    public var credential: A.Credential? {
        get { state.withLock { $0.current }?.value }
        set {
            let held = newValue.map(hold)
            // The old credential is released without the lock: its `deinit` may use the interceptor.
            let (old, flight) = state.withLock { state in
                let old = state.current
                return (old, state.set(held))
            }
            withExtendedLifetime(old) { flight?.finish(.success(nil)) }
        }
    }

    var waitingCount: Int { state.withLock { $0.flight }?.waitingCount ?? 0 }

    /// The ``AuthenticationOptions/failureStatusCodes`` of the options.
    public var failureStatusCodes: Set<Int> { options.failureStatusCodes }

    // MARK: - Requests

    /// Adds the credential to the request; returns `false` if a refresh has to be waited for.
    public func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
        guard scope.includes(request.url, in: attempt) else { return true }
        let now = clock()
        guard let (credential, new) = state.withLock({ $0.usable(at: now) }) else { return false }
        if let new { start(new) }
        try authenticator.apply(credential.value, to: &request)
        return true
    }

    /// Returns the request with the credential, for which it waits if necessary.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - attempt: The attempt that is about to begin.
    /// - Returns: The request with the credential; unchanged if it is for an origin that must not receive it.
    /// - Throws: The error of the refresh, ``AuthenticationError``, or `CancellationError`.
    public func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
        guard scope.includes(request.url, in: attempt) else { return request }
        while true {
            let now = clock()
            switch state.withLock({ $0.access(at: now) }) {
            case .use(let credential, let new):
                if let new { start(new) }
                return try authenticated(request, with: credential)
            case .wait(let flight, let isNew):
                if flight.isOwn(attempt) { throw AuthenticationError.refreshWaitsForItself }
                if isNew { start(flight) }
                // Otherwise the application has set another credential, perhaps in `didRefresh`.
                if let credential = try await flight.wait(), state.withLock({ $0.current === credential }) {
                    return try authenticated(request, with: credential)
                }
            case .fail(let error): throw error
            }
        }
    }

    private func authenticated(_ request: URLRequest, with held: HeldCredential<A.Credential>) throws -> URLRequest {
        var adapted = AdaptedRequest(request)
        try authenticator.apply(held.value, to: &adapted)
        return adapted.urlRequest
    }

    // MARK: - Refused credentials

    /// Decides whether a refused request is sent again with a new credential, for which it waits if necessary.
    public func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision {
        guard let response = failure.response, failureStatusCodes.contains(response.statusCode),
            scope.includes(failure.request.url, in: attempt), authenticator.isAuthenticationFailure(response),
            // If there is none, the application has removed the credential that was sent.
            let current = state.withLock({ $0.current })
        else { return .proceed }
        let isSent = authenticator.isRequest(failure.request, authenticatedWith: current.value)
        let (task, number, now) = (attempt.taskIdentity, attempt.number, clock())
        let step = state.withLock { $0.rejection(of: current, isSent: isSent, task: task, attempt: number, at: now) }
        switch step {
        case .deliver: return .proceed
        case .retry: return .retry
        case .fail(let error): return .fail(error)
        case .wait(let flight, let isNew):
            // The refresh itself receives the response to a request that it has sent.
            if flight.isOwn(attempt) { return .proceed }
            if isNew { start(flight) }
            do {
                _ = try await flight.wait()
            } catch {
                return .fail(error)
            }
            let hasCredential = state.withLock { state in
                state.remember(task, attempt: number)
                return state.current != nil
            }
            return hasCredential ? .retry : .proceed
        }
    }

    // MARK: - Refreshes

    /// Runs a refresh in a task of its own, which is independent of the requests that wait for it.
    private func start(_ flight: RefreshFlight<A.Credential>) {
        flight.adopt(Task { await run(flight) })
        let limit = options.refreshLimit
        guard limit < .infinite else { return }
        flight.adopt(
            Task {
                guard (try? await SystemClock.sleep(limit)) != nil else { return }
                fail(flight, with: AuthenticationError.refreshTimedOut)
            }
        )
    }

    private func run(_ flight: RefreshFlight<A.Credential>) async {
        do {
            let credential = try await flight.perform { try await authenticator.refresh(flight.old?.value) }
            let held = hold(credential)
            let (counts, other) = state.withLock { $0.end(flight, with: held) }
            guard counts else { return }
            didRefresh?(credential)
            flight.finish(.success(held))
            other?.finish(.success(held))
        } catch {
            fail(flight, with: error)
        }
    }

    private func fail(_ flight: RefreshFlight<A.Credential>, with error: any Error) {
        if state.withLock({ $0.end(flight, with: nil).counts }) { flight.finish(.failure(error)) }
    }

    private func hold(_ credential: A.Credential) -> HeldCredential<A.Credential> {
        HeldCredential(credential, expirationDate: authenticator.expirationDate(of: credential))
    }
}

extension AuthenticationInterceptor: TaskStartObserver {
    /// Notes that a refresh starts a task, which must not wait for the refresh.
    package func taskWillStart(_ attempt: RequestAttempt) {
        guard let flight = state.withLock({ $0.flight }), flight.isCurrent else { return }
        flight.noteOwn(attempt)
    }
}

extension AuthenticationInterceptor: RedactedDescription {
    /// The type, without the credential.
    public var description: String { "\(Self.self)" }
}
