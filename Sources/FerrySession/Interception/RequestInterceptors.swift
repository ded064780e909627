/// The interceptors of a task, with their properties, which are read once.
package final class RequestInterceptors: Sendable {
    static let allFailures = Set(400...599)

    package let all: [any RequestInterceptor]
    let responding: [any RespondingInterceptor]
    let signers: [any RequestSigner]
    let concluding: [any ConcludingInterceptor]
    /// The number of a body's bytes that are held back while interceptors decide.
    let heldBodyLimit: Int
    let failureStatusCodes: Set<Int>
    private let startObservers: [any TaskStartObserver]
    /// The interceptors, if they may all be asked on the thread that resumes a task.
    private let immediate: [any ImmediateRequestInterceptor]?

    package init?(_ all: [any RequestInterceptor]) {
        if all.isEmpty { return nil }
        self.all = all
        responding = all.compactMap { $0 as? any RespondingInterceptor }
        signers = all.compactMap { $0 as? any RequestSigner }
        concluding = all.compactMap { $0 as? any ConcludingInterceptor }
        heldBodyLimit = concluding.reduce(HeldResponse.bodyLimit) { max($0, $1.heldBodyLimit) }
        startObservers = all.compactMap { $0 as? any TaskStartObserver }
        failureStatusCodes = all.reduce(into: []) { $0.formUnion($1.failureStatusCodes) }
        let immediate = all.compactMap { $0 as? any ImmediateRequestInterceptor }
        self.immediate = immediate.count == all.count && responding.isEmpty && signers.isEmpty ? immediate : nil
    }

    /// Notes that a task starts, on the thread that resumes it.
    func taskWillStart(_ attempt: RequestAttempt) {
        for observer in startObservers { observer.taskWillStart(attempt) }
    }

    /// Returns the request that all interceptors have changed, or `nil` if one of them has to wait.
    ///
    /// It is called for the first attempt alone, on the thread that resumes the task.
    func adaptImmediately(_ request: URLRequest, for attempt: RequestAttempt) throws -> AdaptedRequest? {
        guard let immediate else { return nil }
        var request = AdaptedRequest(request)
        for interceptor in immediate {
            guard try interceptor.adaptImmediately(&request, for: attempt) else { return nil }
        }
        return request
    }

    /// Returns the request of an attempt, or the response or error that replaces it.
    func answer(
        _ base: URLRequest,
        _ attempt: RequestAttempt,
        prepare: (URLRequest) throws -> SignableRequest?
    ) async -> InterceptorAnswer {
        var request = base
        do {
            for interceptor in all {
                try Task.checkCancellation()
                request = try await interceptor.adapt(request, for: attempt)
            }
            for signer in signers {
                guard let signable = try prepare(request) else { continue }
                for (name, value) in try await signer.signature(for: signable, in: attempt) {
                    request.setValue(value, forHTTPHeaderField: name)
                }
            }
        } catch {
            return .failure(error)
        }
        do {
            for interceptor in responding {
                guard let response = try await interceptor.respond(to: request, for: attempt) else { continue }
                return .response(request, response)
            }
            return .request(request)
        } catch let error as URLError {
            return .attemptFailure(request, error)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the first decision of an interceptor that does not leave it to the others.
    func decision(about attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision {
        for interceptor in all {
            if let status = failure.response?.statusCode, !interceptor.failureStatusCodes.contains(status) { continue }
            let decision = await interceptor.retry(attempt, dueTo: failure)
            if case .proceed = decision { continue }
            return decision
        }
        return .proceed
    }
}

/// The answer of interceptors to a question.
enum InterceptorAnswer: Sendable {
    case request(URLRequest)
    case response(URLRequest, InterceptedResponse)
    /// The attempt has failed as if the network had.
    case attemptFailure(URLRequest, URLError)
    case failure(any Error)
    case decision(RetryDecision)
    /// The response that takes the place of the call's end, if there is one.
    case conclusion(InterceptedResponse?)
}
