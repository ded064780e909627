/// Asks the interceptors for the request of each attempt.
extension Exchange {
    /// What interceptors have answered.
    enum InterceptorAnswer: Sendable {
        case request(URLRequest)
        case response(URLRequest, InterceptedResponse)
        /// The attempt has failed as if the network had.
        case attemptFailure(URLRequest, URLError)
        case failure(any Error)
        case decision(RetryDecision)
    }

    /// Asks the interceptors for the request of the attempt that begins, and returns whether the exchange waits.
    func mustWaitForInterceptors() -> Bool {
        guard let recovery, let interceptors = recovery.settings.interceptors, !recovery.isAdapted else { return false }
        let (attempt, base) = (recovery.requestAttempt(redirects), recovery.base)
        let (context, body) = (preparationContext, body)
        engine.wait(transfer)
        recovery.ask { [weak self, settings] number in
            let answer = await Self.answer(interceptors, base, attempt) { request in
                let prepared = try PreparedRequest(request, settings: settings, context: context)
                return request.url.map { SignableRequest(prepared, url: $0, body: body) }
            }
            guard let self else { return }
            engine.submit(.run { [self] in interceptorsAnswered(number, answer) })
        }
        return true
    }

    private static func answer(
        _ interceptors: RequestInterceptors,
        _ base: URLRequest,
        _ attempt: RequestAttempt,
        prepare: (URLRequest) throws -> SignableRequest?
    ) async -> InterceptorAnswer {
        var request: URLRequest
        do {
            request = try await interceptors.adapt(base, for: attempt)
            for signer in interceptors.signers {
                guard let signable = try prepare(request) else { continue }
                for (name, value) in try await signer.signature(for: signable, in: attempt) {
                    request.setValue(value, forHTTPHeaderField: name)
                }
            }
        } catch {
            return .failure(error)
        }
        do {
            let response = try await interceptors.response(to: request, for: attempt)
            return response.map { .response(request, $0) } ?? .request(request)
        } catch let error as URLError {
            return .attemptFailure(request, error)
        } catch {
            return .failure(error)
        }
    }

    /// Follows an answer, unless it belongs to a question that is not open any more.
    func interceptorsAnswered(_ question: Int, _ answer: InterceptorAnswer) {
        guard client != nil, let recovery, recovery.accept(question) else { return }
        if case .decision(let decision) = answer { return follow(decision) }
        guard engine.endWait(transfer) else { return }
        phase = .idle
        switch answer {
        case .request(let request):
            adopt(AdaptedRequest(replacing: request))
            start()
        case .response(let request, let response):
            adopt(AdaptedRequest(replacing: request))
            serve(response)
        case .attemptFailure(let request, let error):
            adopt(AdaptedRequest(replacing: request))
            attempt = nil
            recover(from: error, wasSent: false)
        case .failure(let error): end(with: error)
        case .decision: break
        }
    }

    /// Uses a request that the interceptors have made of the task's.
    func adopt(_ adapted: AdaptedRequest) {
        guard let recovery else { return }
        recovery.isAdapted = true
        if let from = request.url, let to = adapted.url, from != to, Origin(from) != Origin(to) {
            // The delegate has provided its credential for another origin.
            authentication.server = Authentication.Party()
        }
        guard redirects.hasLeftOrigin else { return use(adapted) }
        var adapted = adapted.urlRequest
        for name in adapted.allHTTPHeaderFields?.keys.map({ $0 }) ?? [] where settings.isSecret(name.folded) {
            adapted.setValue(recovery.base.value(forHTTPHeaderField: name), forHTTPHeaderField: name)
        }
        request = adapted
    }

    /// Returns the request that a redirect changes: the one before the interceptors, at the URL that was requested.
    var requestToRedirect: URLRequest {
        guard let recovery, recovery.settings.interceptors != nil else { return request }
        var base = recovery.base
        // If an interceptor has sent the request to another origin, fields that it has removed are not added again.
        if let from = base.url, let to = request.url, from != to, Origin(from) != Origin(to) { return sentRequest }
        base.url = request.url
        base.httpMethod = request.httpMethod
        return base
    }

    /// Delivers the response of an interceptor as one from the network.
    private func serve(_ intercepted: InterceptedResponse) {
        attempt = nil
        guard let url = request.url else { return failAttempt() }
        let head = ResponseHead(version: "HTTP/1.1", status: intercepted.status, fields: intercepted.fields)
        settings.cookies?.store(head.fields, for: request)
        let received = ReceivedResponse(head, url: url, isDecoded: false)
        beginServing(.intercepted(request, status: head.status))
        let question = redirect(for: received, head: head) ?? heldResponse(received, status: head.status)
        if let question { return serve(question, body: intercepted.body) }
        if response != nil || continuation.isResuming, !discardBody() {
            return fail(cannotContinue(status: head.status))
        }
        continuation.offset = nil
        deliver(received, body: .data(intercepted.body))
    }

    /// Returns the question whether the request is sent again instead of delivering a response, if there is one.
    func heldResponse(_ received: ReceivedResponse, status: Int) -> PendingQuestion? {
        guard let recovery, recovery.settings.concerns(status), let response = received.value as? HTTPURLResponse else {
            return nil
        }
        return PendingQuestion(response: response, kind: .failure)
    }
}
