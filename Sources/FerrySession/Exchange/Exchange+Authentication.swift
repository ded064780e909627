/// Responses 401 and 407: the delegate is asked, and the request is sent again with the credential it provides.
extension Exchange {
    /// Returns the origin or proxy that the credentials of the current request belong to.
    private func credentialPlace(isProxy: Bool) -> CredentialPlace? {
        isProxy ? attempt?.route.proxy.map { .proxy($0.address) } : request.url.map { .origin(Origin($0)) }
    }

    private func party(isProxy: Bool) -> Authentication.Party { isProxy ? authentication.proxy : authentication.server }

    /// Returns the credential to send: the one just provided, or the one that this session last used with success.
    func credential(isProxy: Bool) -> SchemeCredential? {
        if let given = party(isProxy: isProxy).credential { return given }
        if group.acceptedCredentials.isEmpty { return nil }
        let field = isProxy ? "Proxy-Authorization" : "Authorization"
        if sentRequest.value(forHTTPHeaderField: field) != nil || (!isProxy && request.url?.user != nil) { return nil }
        return credentialPlace(isProxy: isProxy).flatMap { group.acceptedCredentials[$0] }
    }

    /// Forgets the credential for a proxy if the next attempt goes through another one, or through none.
    func forgetOtherProxy() {
        guard authentication.proxy.credential != nil, authentication.proxy.place != credentialPlace(isProxy: true)
        else {
            return
        }
        authentication.proxy = Authentication.Party()
    }

    /// Notes that the credentials were accepted, so that they are sent without a challenge from now on.
    func noteAcceptedCredentials() {
        noteAccepted(authentication.server, isProxy: false)
        noteAccepted(authentication.proxy, isProxy: true)
    }

    private func noteAccepted(_ party: Authentication.Party, isProxy: Bool) {
        guard let credential = party.credential, party.isKept, party.generation == group.credentialsGeneration,
            let place = credentialPlace(isProxy: isProxy)
        else { return }
        group.acceptedCredentials[place] = credential
    }

    /// Returns the challenge of a response, if a credential may be provided for it.
    func challenge(for head: ResponseHead, of attempt: NetworkAttempt) -> AuthenticationChallenge? {
        guard let challenge = AuthenticationChallenge(head, runtime: engine.runtime) else { return nil }
        guard !challenge.isProxy || attempt.isForwarded || attempt.isTunnelling else { return nil }
        if party(isProxy: challenge.isProxy).failures < AuthenticationChallenge.mostFailures { return challenge }
        forgetAcceptedCredential(isProxy: challenge.isProxy)
        return nil
    }

    /// Returns the question for a credential that the proxy wants before it opens a tunnel, if it does.
    func tunnelChallenge(of attempt: NetworkAttempt) -> PendingQuestion? {
        guard attempt.isTunnelling, let head = attempt.route.tunnel.head, head.status == 407, let url = attempt.url,
            let challenge = challenge(for: head, of: attempt),
            let response = CurlHTTPResponse(url: url, head: head, isDecoded: false)
        else { return nil }
        return PendingQuestion(response: response, kind: .challenge(challenge), isTunnel: true)
    }

    /// Counts the responses of an attempt that request a credential, and returns whether libcurl may respond to this
    /// one.
    func mayContinue(after head: ResponseHead, of attempt: NetworkAttempt) -> Bool {
        guard head.status == 401 || head.status == 407 else { return true }
        attempt.challengeRounds += 1
        let sent = head.status == 407 ? attempt.credentials.proxy : attempt.credentials.server
        return AuthenticationChallenge.mayContinue(head, scheme: sent?.scheme, rounds: attempt.challengeRounds)
    }

    /// Forgets the credential that worked before and is not accepted any more, or the one just provided, which is
    /// wrong.
    private func forgetAcceptedCredential(isProxy: Bool) {
        if let place = credentialPlace(isProxy: isProxy) { group.acceptedCredentials[place] = nil }
    }

    /// Asks the delegate for a credential, or uses the one that the session's options have for their proxy.
    func ask(_ challenge: AuthenticationChallenge, _ response: HTTPURLResponse) {
        // Not before, since libcurl answers a challenge itself where the scheme takes more than one request.
        forgetAcceptedCredential(isProxy: challenge.isProxy)
        guard let client, let url = request.url,
            let space = challenge.space(of: url, proxy: attempt?.route.proxy)
        else { return deliverQuestion() }
        if let own = ownProxyCredential(challenge) {
            // As a command, since libcurl may be delivering the response's body just now.
            return perform(.authenticate(.useCredential, own))
        }
        let isInURL = url.user != nil && authentication.server.credential == nil && !challenge.isProxy
        let failures = party(isProxy: challenge.isProxy).failures(in: challenge.realm) + (isInURL ? 1 : 0)
        let stored = failures == 0 ? settings.credentialStore?.credential(for: space) : nil
        let question = AuthenticationQuestion(space: space, proposed: stored, failures: failures, response: response)
        client.exchange(willAuthenticate: question)
    }

    /// Returns the credential of the session's options for their proxy, the first time it asks.
    private func ownProxyCredential(_ challenge: AuthenticationChallenge) -> URLCredential? {
        guard challenge.isProxy, authentication.proxy.failures == 0, let route = attempt?.route, route.isProxyCertain,
            let user = route.proxy?.user
        else { return nil }
        return URLCredential(user: user, password: route.proxy?.password ?? "", persistence: .forSession)
    }

    func answerChallenge(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        guard client != nil, let question = incoming.question, question.isAsked,
            case .challenge(var challenge) = question.kind
        else { return }
        switch disposition {
        case .useCredential, .performDefaultHandling:
            guard let option = challenge.options.first, let user = credential?.user else { return deliverQuestion() }
            let password = credential?.password ?? ""
            guard SchemeCredential.isValid(user: user, password: password) else {
                return refuse(
                    question,
                    .ferry(
                        .userAuthenticationRequired,
                        url: request.url,
                        reason: .invalidHeader,
                        "The credential's user has a control character, or its password a null byte"
                    )
                )
            }
            let given = SchemeCredential(scheme: option.scheme, user: user, password: password)
            let party = party(isProxy: challenge.isProxy)
            let sent = challenge.isProxy ? attempt?.credentials.proxy : attempt?.credentials.server
            let refused = sent.map { party.refused.union([$0]) } ?? party.refused
            // A nonce that is new each time would otherwise lead to any number of requests.
            if refused.contains(given) { return deliverQuestion() }
            let next = Authentication.Party(
                credential: given,
                isKept: credential?.persistence != URLCredential.Persistence.none,
                failures: party.failures + 1,
                realm: option.realm,
                failuresInRealm: party.failures(in: option.realm) + 1,
                generation: group.credentialsGeneration,
                place: credentialPlace(isProxy: challenge.isProxy),
                refused: refused,
                firstQuestion: party.firstQuestion ?? completeQuestion
            )
            if challenge.isProxy { authentication.proxy = next } else { authentication.server = next }
            sendAgain()
        case .cancelAuthenticationChallenge:
            refuse(question, .ferry(.cancelled, url: request.url, "The authentication challenge was cancelled"))
        case .rejectProtectionSpace:
            challenge.options.removeFirst()
            guard !challenge.options.isEmpty else { return deliverQuestion() }
            incoming.question?.kind = .challenge(challenge)
            ask(challenge, question.response)
        }
    }

    /// Ends the exchange instead of answering a challenge.
    private func refuse(_ question: PendingQuestion, _ error: URLError) {
        incoming.question = nil
        if !question.isTunnel { client?.exchange(didRefuse: ReceivedResponse(question.response)) }
        fail(error)
    }

    /// The question with the whole body of its response, if that is known.
    private var completeQuestion: PendingQuestion? {
        guard let question = incoming.question, incoming.hasEnded, question.failure == nil, !question.isTunnel,
            !question.isAbandoned, incoming.decoder.map({ $0.isDrained && $0.mayEnd }) ?? true
        else { return nil }
        return question
    }

    /// Delivers a response that asks for a credential although its body has not come, since the attempt was ended.
    ///
    /// The first response that has asked is delivered instead. If its body is not known either, the request is sent
    /// without a credential, unless it was sent so before.
    func deliverAbandoned(_ question: PendingQuestion) {
        let party = party(isProxy: question.response.statusCode == 407)
        guard let first = party.firstQuestion else {
            if party.failures == 0 { return sendWithoutCredential() }
            let text = "The server calls each nonce stale, and the response with its first one is too large to be kept"
            return fail(.ferry(.userAuthenticationRequired, url: request.url, text))
        }
        incoming = IncomingResponse(question: first, hasEnded: true)
        deliverQuestion()
    }

    /// Sends the request once more without a credential, so that the response that asks for one is delivered whole.
    func sendWithoutCredential() {
        let refused = Authentication.Party(credential: nil, failures: AuthenticationChallenge.mostFailures)
        authentication = Authentication(server: refused, proxy: refused)
        sendAgain()
    }
}
