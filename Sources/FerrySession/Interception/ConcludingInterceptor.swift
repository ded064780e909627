/// An interceptor that can replace the response or error a call ends with.
///
/// It is asked once, when neither an interceptor nor the ``RetryPolicy`` causes another attempt, or when a
/// ``CircuitBreaker`` has refused the request. It is asked about responses with one of its
/// ``RequestInterceptor/failureStatusCodes``, which may include 200 to 299. It is not asked after a cancellation, at
/// the end of the deadline or of `timeoutIntervalForResource`, where a stored response may be served instead of the
/// error, or once bytes of a body have been delivered that cannot be taken back.
public protocol ConcludingInterceptor: RequestInterceptor {
    /// The number of a body's bytes that are held back until ``conclude(_:with:)`` has returned; by default and at
    /// least 65,536.
    ///
    /// A response with a longer body is asked about with the beginning of it.
    var heldBodyLimit: Int { get }

    /// Returns the response that the call ends with instead, or `nil`; the outcome is that of the last attempt.
    ///
    /// It runs in a task of Swift's concurrency and may wait, while the deadlines of the task continue.
    ///
    /// - Returns: The response to deliver, or `nil` for no change; redirects and challenges are not followed.
    ///   The first response of several interceptors counts.
    /// - Throws: The error that the task fails with instead.
    func conclude(_ attempt: RequestAttempt, with outcome: AttemptOutcome) async throws -> InterceptedResponse?
}

extension ConcludingInterceptor {
    /// 65,536.
    public var heldBodyLimit: Int { HeldResponse.bodyLimit }
}

extension RequestInterceptors {
    /// Returns the first response that an interceptor puts in place of a call's end.
    func conclusion(about attempt: RequestAttempt, with outcome: AttemptOutcome) async -> InterceptorAnswer {
        do {
            for interceptor in concluding {
                if let status = outcome.response?.statusCode, !interceptor.failureStatusCodes.contains(status) {
                    continue
                }
                if let response = try await interceptor.conclude(attempt, with: outcome) {
                    return .conclusion(response)
                }
            }
            return .conclusion(nil)
        } catch {
            return .failure(error)
        }
    }
}
