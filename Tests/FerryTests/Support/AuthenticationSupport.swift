import Ferry
import Foundation

/// A request and the attempts of its task, as an engine describes them to an interceptor.
struct InterceptedTask: Sendable {
    var url: URL
    var original: URL
    var identifier: Int
    var hasLeftOrigin = false

    init(_ text: String = "https://api.example.com/users", identifier: Int = 1) {
        self.init(URL(string: text) ?? URL(fileURLWithPath: "/"), identifier: identifier)
    }

    init(_ url: URL, identifier: Int = 1) {
        (self.url, original, self.identifier) = (url, url, identifier)
    }

    var request: URLRequest { URLRequest(url: url) }

    func attempt(_ number: Int = 1) -> RequestAttempt {
        RequestAttempt(
            number: number,
            taskIdentifier: identifier,
            originalURL: original,
            hasLeftOrigin: hasLeftOrigin
        )
    }

    /// Returns the `Authorization` field with which an interceptor sends the request.
    func authorization(_ interceptor: some RequestInterceptor, attempt number: Int = 1) async throws -> String? {
        try await interceptor.adapt(request, for: attempt(number)).value(forHTTPHeaderField: "Authorization")
    }

    /// Returns the decision about a response to the request with a token.
    func decision(
        _ interceptor: some RequestInterceptor,
        token: String,
        status: Int = 401,
        attempt number: Int = 1
    ) async -> RetryDecision {
        var sent = request
        sent.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        guard let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil) else {
            return .proceed
        }
        return await interceptor.retry(
            attempt(number),
            dueTo: AttemptFailure(.response(response), request: sent, isRepeatable: true)
        )
    }
}

extension RetryDecision {
    /// The name of the case, for comparing.
    var name: String {
        switch self {
        case .proceed: "proceed"
        case .doNotRetry: "doNotRetry"
        case .retry: "retry"
        case .retryAfter: "retryAfter"
        case .fail: "fail"
        }
    }

    /// The error that the task fails with.
    var error: (any Error)? { if case .fail(let error) = self { error } else { nil } }
}

/// The clock of an interceptor, which a test sets.
final class ManualClock: Sendable {
    private let date = Watched(Date(timeIntervalSince1970: 1_700_000_000))

    var now: Date { date.current }
    func advance(by seconds: TimeInterval) { date.change { $0 += seconds } }
}

/// Tokens that are numbered as they are issued: `token-1`, `token-2`.
final class TokenIssuer: Sendable {
    private let issued = Watched(0)
    private let open: Watched<Bool>
    private let failure = Watched<(any Error)?>(nil)
    private let lifetime: TimeInterval?
    private let clock: ManualClock

    init(_ clock: ManualClock = ManualClock(), lifetime: TimeInterval? = nil, isOpen: Bool = true) {
        (self.clock, self.lifetime, open) = (clock, lifetime, Watched(isOpen))
    }

    /// The number of refreshes that have begun.
    var count: Int { issued.current }

    /// Lets the refreshes end, with an error if there is one.
    func finish(throwing error: (any Error)? = nil) {
        failure.change { $0 = error }
        open.change { $0 = true }
    }

    /// Makes the next refreshes wait.
    func close() { open.change { $0 = false } }

    func token() async throws -> BearerToken {
        let number = issued.change { count in
            count += 1
            return count
        }
        try await open.wait { $0 }
        if let error = failure.current { throw error }
        return BearerToken("token-\(number)", expirationDate: lifetime.map { clock.now + $0 })
    }

    /// Returns an interceptor whose tokens come from here.
    func interceptor(
        initial: BearerToken? = BearerToken("old"),
        _ configure: (inout AuthenticationOptions) -> Void = { _ in },
        didRefresh: (@Sendable (BearerToken) -> Void)? = nil
    ) -> AuthenticationInterceptor<BearerAuthenticator> {
        AuthenticationInterceptor(
            BearerAuthenticator { [self] _ in try await token() },
            credential: initial,
            options: AuthenticationOptions(configure: configure),
            didRefresh: didRefresh,
            clock: { [clock] in clock.now }
        )
    }
}

/// An error of a refresh.
struct RefreshFailure: Error, Equatable {
    var number = 0
}

extension ImmediateRequestInterceptor {
    /// Returns the adapted request, or nil if the interceptor has to wait.
    func adaptImmediately(_ request: URLRequest, for attempt: RequestAttempt) throws -> URLRequest? {
        var request = AdaptedRequest(request)
        return try adaptImmediately(&request, for: attempt) ? request.urlRequest : nil
    }
}
