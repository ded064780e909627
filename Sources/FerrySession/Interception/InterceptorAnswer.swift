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

extension RequestInterceptors {
    /// Returns the request of an attempt, or the response or error that replaces it.
    func answer(
        _ base: URLRequest,
        _ attempt: RequestAttempt,
        prepare: (URLRequest) throws -> SignableRequest?
    ) async -> InterceptorAnswer {
        var request: URLRequest
        do {
            request = try await adapt(base, for: attempt)
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
            let response = try await response(to: request, for: attempt)
            return response.map { .response(request, $0) } ?? .request(request)
        } catch let error as URLError {
            return .attemptFailure(request, error)
        } catch {
            return .failure(error)
        }
    }
}
