/// The credentials that a call sends without asking the delegate.
extension Call {
    /// Returns the use of a credential for the current request, for a scheme and realm or without a challenge.
    private func use(
        isProxy: Bool,
        of option: AuthenticationChallenge.Option?,
        _ world: some CallSurroundings
    ) -> CredentialUse? {
        request.place(isProxy: isProxy, world.proxyPlace).map { CredentialUse(place: $0, option: option) }
    }

    /// Returns the credential that the request's server or proxy has accepted last, for `option` if that is given.
    ///
    /// There is none if the request or the session has a field with a credential, or the URL a user.
    func accepted(
        isProxy: Bool,
        for option: AuthenticationChallenge.Option? = nil,
        _ world: some CallSurroundings
    ) -> SchemeCredential? {
        let accepted = world.acceptedCredentials
        guard !accepted.isEmpty, credentials[isProxy: isProxy].mayBeGiven else { return nil }
        let field = isProxy ? "Proxy-Authorization" : "Authorization"
        if request.complete.value(forHTTPHeaderField: field) != nil { return nil }
        if !isProxy, request.url?.user != nil || isAuthorizedBySession { return nil }
        return use(isProxy: isProxy, of: option, world).flatMap { accepted[$0] }
    }

    /// Whether the session's additional headers have an `Authorization` field.
    private var isAuthorizedBySession: Bool {
        settings.additionalHeaders(hasLeftOrigin: redirects.hasLeftOrigin)
            .contains { $0.name.isEqualIgnoringCase("authorization") }
    }

    /// Makes the session forget the credential that was sent, if it was accepted before.
    mutating func forgetSent(
        isProxy: Bool,
        for option: AuthenticationChallenge.Option? = nil,
        _ world: some CallSurroundings
    ) {
        guard let sent = credentials.sent(isProxy: isProxy), let use = use(isProxy: isProxy, of: option, world)
        else { return }
        emit(.forgetCredential(sent, use))
    }

    /// Returns the credential that was accepted before for a challenge's scheme and realm, unless it was refused in
    /// this call.
    func known(
        for option: AuthenticationChallenge.Option,
        isProxy: Bool,
        _ world: some CallSurroundings
    ) -> SchemeCredential? {
        guard let known = accepted(isProxy: isProxy, for: option, world),
            !credentials.hasRefused(isProxy: isProxy, where: { $0 == known })
        else { return nil }
        return known
    }

    /// Returns the credential that the session's options have for their proxy, unless it was refused.
    func ownOfProxy(for challenge: AuthenticationChallenge, _ world: some CallSurroundings) -> SchemeCredential? {
        guard challenge.isProxy, world.isProxyCertain, let proxy = world.proxy, let user = proxy.user,
            let scheme = challenge.options.first?.scheme
        else { return nil }
        let own = SchemeCredential(scheme: scheme, user: user, password: proxy.password ?? "")
        return credentials.hasRefused(isProxy: true, where: { $0 == own }) ? nil : own
    }

    // MARK: - The cache

    /// Returns the facts about an attempt that the cache needs.
    func cacheAttempt(_ attempt: NetworkAttempt, _ world: some CallSurroundings) -> CacheUse.Attempt {
        CacheUse.Attempt(
            prepared: attempt.prepared,
            url: request.url,
            policy: settings.cachePolicy(of: request.base),
            credential: credentialInURL(attempt.prepared)
                ?? credentials.server.credential?.text ?? accepted(isProxy: false, world)?.text,
            isEmpty: content.isNone,
            start: attempt.timing.start
        )
    }

    /// Returns the credential that the request was sent with, as one text.
    ///
    /// It may differ from the credential of the lookup: other calls may have changed the accepted ones meanwhile.
    func sentCredential(_ attempt: NetworkAttempt) -> String? {
        credentialInURL(attempt.prepared) ?? attempt.credentials.server?.text
    }

    private func credentialInURL(_ prepared: PreparedRequest) -> String? {
        guard prepared.hasUserInfo, let url = request.url, let user = url.user(percentEncoded: true) else { return nil }
        return "basic " + user + ":" + (url.password(percentEncoded: true) ?? "")
    }
}
