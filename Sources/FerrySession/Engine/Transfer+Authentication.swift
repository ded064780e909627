/// Answers 401 and 407: the delegate is asked, and the request goes out again with what it gives.
extension Transfer {
    /// Where the credentials of the current request belong.
    func credentialPlace(isProxy: Bool) -> CredentialPlace? {
        isProxy ? proxy.map { .proxy($0.address) } : request.url.map { .origin(Origin($0)) }
    }

    /// The credential to send: the one just given, else the one that worked in this session before.
    func credential(isProxy: Bool) -> SchemeCredential? {
        if let given = credentials[isProxy] { return given }
        if engine.acceptedCredentials.isEmpty { return nil }
        let field = isProxy ? "Proxy-Authorization" : "Authorization"
        if request.value(forHTTPHeaderField: field) != nil || (!isProxy && request.url?.user != nil) { return nil }
        return credentialPlace(isProxy: isProxy).flatMap { engine.acceptedCredentials[$0] }
    }

    func configureCredentials(_ easy: EasyHandle) {
        if let credential = credential(isProxy: false) {
            easy.set(CurlOption.httpAuthentication, credential.scheme.mask)
            easy.set(CurlOption.userName, credential.user)
            easy.set(CurlOption.password, credential.password)
        }
        if let credential = credential(isProxy: true) {
            easy.set(CurlOption.proxyAuthentication, credential.scheme.mask)
            easy.set(CurlOption.proxyUserName, credential.user)
            easy.set(CurlOption.proxyPassword, credential.password)
        }
    }

    /// A final answer has come: what it accepted is sent unasked from now on.
    func noteAcceptedCredentials() {
        for (isProxy, credential) in credentials {
            guard let place = credentialPlace(isProxy: isProxy) else { continue }
            engine.acceptedCredentials[place] = credential
        }
    }

    /// Whether an answer asks for a credential that somebody may have.
    func challenge(for head: ResponseHead) -> AuthenticationChallenge? {
        guard let challenge = AuthenticationChallenge(head, runtime: engine.runtime) else { return nil }
        guard !challenge.isProxy || isForwarded || isTunnelling else { return nil }
        let place = credentialPlace(isProxy: challenge.isProxy)
        // What worked before does not any more, or what was just given does not at all.
        if let place { engine.acceptedCredentials[place] = nil }
        return failures(challenge) < AuthenticationChallenge.mostFailures ? challenge : nil
    }

    private func failures(_ challenge: AuthenticationChallenge) -> Int {
        authenticationFailures[challenge.isProxy] ?? 0
    }

    func ask(_ challenge: AuthenticationChallenge, _ response: HTTPURLResponse) {
        guard let client, let url = request.url, let space = challenge.space(of: url, proxy: proxy) else {
            return deliverHeld()
        }
        if let own = ownProxyCredential(challenge) {
            // As a command, since libcurl may be delivering the answer's body just now.
            return engine.submit(.authenticate(self, .useCredential, own))
        }
        let isInURL = url.user != nil && credentials[false] == nil && !challenge.isProxy
        let failures = failures(challenge) + (isInURL ? 1 : 0)
        let stored = failures == 0 ? engine.settings.credentialStore?.credential(for: space) : nil
        client.transfer(
            willAuthenticate: AuthenticationQuestion(
                space: space,
                proposed: stored,
                failures: failures,
                response: response
            )
        )
    }

    /// What the session's options have for their proxy, the first time it asks.
    private func ownProxyCredential(_ challenge: AuthenticationChallenge) -> URLCredential? {
        guard challenge.isProxy, isProxyCertain, failures(challenge) == 0, let user = proxy?.user else { return nil }
        return URLCredential(user: user, password: proxy?.password ?? "", persistence: .none)
    }

    func answerChallenge(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        guard client != nil, let held, held.isAsked, case .challenge(var challenge) = held.question else { return }
        switch disposition {
        case .useCredential, .performDefaultHandling:
            guard let option = challenge.options.first, let user = credential?.user else { return deliverHeld() }
            let given = SchemeCredential(scheme: option.scheme, user: user, password: credential?.password ?? "")
            authenticate(given, isProxy: challenge.isProxy)
        case .cancelAuthenticationChallenge:
            self.held = nil
            if !held.isTunnel { client?.transfer(didReceive: ReceivedResponse(held.response), isReplacement: true) }
            fail(.ferry(.cancelled, url: request.url, "The authentication challenge was cancelled"))
        case .rejectProtectionSpace:
            challenge.options.removeFirst()
            guard !challenge.options.isEmpty else { return deliverHeld() }
            self.held?.question = .challenge(challenge)
            ask(challenge, held.response)
        }
    }

    /// Sends the request once more without a credential, for the whole of the response that asks for one.
    func askWithoutCredential() {
        for isProxy in [false, true] {
            credentials[isProxy] = nil
            authenticationFailures[isProxy] = AuthenticationChallenge.mostFailures
        }
        letGoOfAttempt()
        (isClientFull, isEnded) = (false, false)
        client?.transferDidRewindBody()
        engine.start(self, priority: priority)
    }

    private func authenticate(_ credential: SchemeCredential, isProxy: Bool) {
        held = nil
        letGoOfAttempt()
        isClientFull = false
        isEnded = false
        authenticationFailures[isProxy, default: 0] += 1
        credentials[isProxy] = credential
        client?.transferDidRewindBody()
        engine.start(self, priority: priority)
    }
}
