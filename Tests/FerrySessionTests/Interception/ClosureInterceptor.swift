import FerrySession

/// An interceptor made of closures.
struct ClosureInterceptor: RequestInterceptor {
    var statuses = Set(400...599)
    var change: @Sendable (inout URLRequest, RequestAttempt) async throws -> Void = { _, _ in }
    var decide: @Sendable (RequestAttempt, AttemptOutcome) async -> RetryDecision = { _, _ in .proceed }

    var failureStatusCodes: Set<Int> { statuses }

    func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
        var request = request
        try await change(&request, attempt)
        return request
    }

    func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision {
        await decide(attempt, failure)
    }
}
