/// Questions to the program: its policy of trust, its interceptors, its delegate.
///
/// None is asked on the engine's thread; each answer is an event of the call.
extension CallDriver {
    /// Finds out what libcurl verifies for a host, which may take a question to the policy.
    func verify(_ origin: Origin) {
        let current = engine.trust.use()
        guard let policy = current.policy, !(policy is any ImmediateTrustPolicy),
            engine.trust.verification(for: origin.host, revision: current.revision) == nil
        else { return send(.verified) }
        engine.wait(transfer)
        engine.trust.questions.run { [self] in
            let verification = policy.verification(for: origin.host)
            engine.trust.note(verification, for: origin.host, revision: current.revision)
            engine.submit(
                .run { [self] in
                    if call.stage == .preparing, engine.endWait(transfer) { verify(origin) }
                }
            )
        }
    }

    func adapt(_ number: Int, _ interceptors: RequestInterceptors, _ base: URLRequest, _ attempt: RequestAttempt) {
        engine.wait(transfer)
        let (context, body, settings) = (call.preparationContext(self), call.content, settings)
        ask(number) {
            await interceptors.answer(base, attempt) { request in
                let prepared = try PreparedRequest(request, settings: settings, context: context)
                return request.url.map { SignableRequest(prepared, url: $0, body: body) }
            }
        }
    }

    /// Asks interceptors in a Swift task.
    func ask(_ number: Int, _ answer: @escaping @Sendable () async -> InterceptorAnswer) {
        stopAsking()
        question = Task { [weak self] in
            let answer = await answer()
            guard let self else { return }
            engine.submit(.run { [self] in send(.answered(number, answer)) })
        }
    }

    func stopAsking() {
        guard let task = question else { return }
        question = nil
        // Not on this thread, since cancellation handlers are user code.
        Task.detached { task.cancel() }
    }

    /// Uses a credential for a challenge without asking the delegate.
    func answer(_ known: SchemeCredential) {
        let credential = URLCredential(user: known.user, password: known.password, persistence: .forSession)
        // As a command, since libcurl may be delivering the response's body just now.
        perform(.authenticate(.useCredential, credential))
    }

    /// Asks the delegate for a credential, unless one was accepted for the realm, or the session's options have one for
    /// their proxy.
    func ask(_ challenge: AuthenticationChallenge, _ response: HTTPURLResponse, _ failures: Int) {
        let route = transfer.attempt?.route
        guard let client, let url = call.request.url, let space = challenge.space(of: url, proxy: route?.proxy) else {
            return send(.cannotAsk)
        }
        let isProxy = challenge.isProxy
        let sent = call.credentials.sent(isProxy: isProxy)
        for option in challenge.options {
            group.forgetCredential(sent, for: credentialUse(isProxy: isProxy, of: option))
            if let known = acceptedCredential(isProxy: isProxy, for: option),
                !call.credentials.hasRefused(isProxy: isProxy, where: { $0 == known })
            {
                // Its option becomes the first one.
                return option == challenge.options.first
                    ? answer(known) : perform(.authenticate(.rejectProtectionSpace, nil))
            }
        }
        if isProxy, let route, route.isProxyCertain, let user = route.proxy?.user,
            let scheme = challenge.options.first?.scheme
        {
            let own = SchemeCredential(scheme: scheme, user: user, password: route.proxy?.password ?? "")
            if !call.credentials.hasRefused(isProxy: true, where: { $0 == own }) { return answer(own) }
        }
        let stored = failures == 0 ? settings.credentialStore?.credential(for: space) : nil
        let question = AuthenticationQuestion(space: space, proposed: stored, failures: failures, response: response)
        client.receive(.challenge(question))
    }
}
