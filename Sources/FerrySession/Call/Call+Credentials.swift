/// The credentials that a call sends without a challenge, or for one without asking the delegate.
extension Call {
    /// Returns what the credentials of the current request are for, with a challenge or without one.
    private func use(
        isProxy: Bool,
        of option: AuthenticationChallenge.Option?,
        _ world: some CallSurroundings
    ) -> CredentialUse? {
        request.place(isProxy: isProxy, world.proxyPlace).map { CredentialUse(place: $0, option: option) }
    }

    /// Returns the credential that the session last used with success where the request goes, also for one realm alone.
    ///
    /// A field of the request or the session takes its place, as a user in the URL does.
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

    /// Whether a field of the session takes the place of a kept credential, as one of the request does.
    private var isAuthorizedBySession: Bool {
        settings.additionalHeaders(hasLeftOrigin: redirects.hasLeftOrigin)
            .contains { $0.name.isEqualIgnoringCase("authorization") }
    }

    /// Forgets the credential that was sent, where it was accepted before.
    mutating func forgetSent(
        isProxy: Bool,
        for option: AuthenticationChallenge.Option? = nil,
        _ world: some CallSurroundings
    ) {
        guard let sent = credentials.sent(isProxy: isProxy), let use = use(isProxy: isProxy, of: option, world)
        else { return }
        emit(.forgetCredential(sent, use))
    }

    /// Returns a credential for a challenge that was not refused yet: one that was accepted before, or the one of the
    /// session's options for their proxy.
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

    /// Returns the credential of the session's options for their proxy, unless it was refused.
    func ownOfProxy(for challenge: AuthenticationChallenge, _ world: some CallSurroundings) -> SchemeCredential? {
        guard challenge.isProxy, world.isProxyCertain, let proxy = world.proxy, let user = proxy.user,
            let scheme = challenge.options.first?.scheme
        else { return nil }
        let own = SchemeCredential(scheme: scheme, user: user, password: proxy.password ?? "")
        return credentials.hasRefused(isProxy: true, where: { $0 == own }) ? nil : own
    }

    // MARK: - The cache

    /// What the cache needs to know about an attempt.
    func cacheAttempt(_ attempt: NetworkAttempt, _ world: some CallSurroundings) -> CacheUse.Attempt {
        CacheUse.Attempt(
            prepared: attempt.prepared,
            url: request.url,
            policy: cachePolicy,
            credential: credentialInURL(attempt.prepared)
                ?? credentials.server.credential?.text ?? accepted(isProxy: false, world)?.text,
            isEmpty: content.isNone,
            start: attempt.timing.start
        )
    }

    /// Returns what the request was sent with to authenticate it at the server, as one text.
    ///
    /// Since the lookup, another call's challenge may have been answered, and that answer been forgotten again.
    func sentCredential(_ attempt: NetworkAttempt) -> String? {
        credentialInURL(attempt.prepared) ?? attempt.credentials.server?.text
    }

    private func credentialInURL(_ prepared: PreparedRequest) -> String? {
        guard prepared.hasUserInfo, let url = request.url, let user = url.user(percentEncoded: true) else { return nil }
        return "basic " + user + ":" + (url.password(percentEncoded: true) ?? "")
    }
}
