/// The credentials of a call: what the delegate has provided for the current request, and what was sent.
struct Credentials {
    /// The credentials for one of the two that may ask: the server or the proxy.
    struct Party {
        var credential: SchemeCredential?
        /// Whether other tasks may use the credential once it is accepted.
        var isKept = false
        /// The number of credentials that were given.
        var failures = 0
        /// The scheme and realm that the last one was given for, and how many in a row were.
        var option: AuthenticationChallenge.Option?
        var failuresOfOption = 0
        /// The ``AcceptedCredentials/generation`` in which the credential was provided.
        var generation = 0
        var place: CredentialPlace?
        /// The credentials that were sent and refused, which are not sent again.
        var refused: Set<SchemeCredential> = []
        /// The response that has asked for the first credential, if its whole body is known.
        var firstHeld: HeldResponse?

        /// Whether a further credential may be given: a server can refuse any number of them.
        var mayBeGiven: Bool { failures < AuthenticationChallenge.maximumFailures }

        var isUnused: Bool { credential == nil && failures == 0 }

        /// Returns how many credentials in a row were given for a scheme and realm.
        func failures(of asked: AuthenticationChallenge.Option?) -> Int { asked == option ? failuresOfOption : 0 }

        /// Returns the party after a further credential was given; `nil` if that was sent and refused before.
        ///
        /// A server that sends a new nonce each time would otherwise cause any number of requests.
        func using(
            _ given: SchemeCredential,
            for option: AuthenticationChallenge.Option,
            isKept: Bool,
            generation: Int,
            at place: CredentialPlace?,
            sent: SchemeCredential?,
            held: HeldResponse?
        ) -> Party? {
            let refused = sent.map { self.refused.union([$0]) } ?? self.refused
            if refused.contains(given) { return nil }
            return Party(
                credential: given,
                isKept: isKept,
                failures: failures + 1,
                option: option,
                failuresOfOption: failures(of: option) + 1,
                generation: generation,
                place: place,
                refused: refused,
                firstHeld: firstHeld ?? held
            )
        }
    }

    private(set) var server = Party()
    private(set) var proxy = Party()
    private var sent = CredentialPair()
    /// The credentials that were accepted before, even if others were sent in their place, or none.
    private var accepted = CredentialPair()

    /// The credentials of the current attempt's user, also those that libcurl was not given.
    var known: CredentialPair {
        CredentialPair(server: sent.server ?? accepted.server, proxy: sent.proxy ?? accepted.proxy)
    }

    /// Whether neither the server nor the proxy has asked for a credential.
    var areUnused: Bool { server.isUnused && proxy.isUnused }

    subscript(isProxy isProxy: Bool) -> Party { isProxy ? proxy : server }

    /// The credential that libcurl was given for the current attempt.
    func sent(isProxy: Bool) -> SchemeCredential? { isProxy ? sent.proxy : sent.server }

    /// Whether a credential was sent before the challenge that is held, which has therefore refused it.
    func hasRefused(isProxy: Bool, where matches: (SchemeCredential) -> Bool) -> Bool {
        self[isProxy: isProxy].refused.contains(where: matches) || sent(isProxy: isProxy).map(matches) == true
    }

    mutating func use(_ party: Party, isProxy: Bool) {
        if isProxy { proxy = party } else { server = party }
    }

    /// Forgets the server's credential, which the delegate has provided for another origin.
    mutating func forgetServer() { server = Party() }

    /// Forgets the proxy's credential if the next attempt uses another proxy, or none.
    mutating func forgetProxy(unless place: CredentialPlace?) {
        if proxy.credential != nil, proxy.place != place { proxy = Party() }
    }

    /// Notes that the credential that was sent was refused and not replaced, so that further attempts send none.
    mutating func giveUp(isProxy: Bool) {
        guard let refused = sent(isProxy: isProxy) else { return }
        var party = self[isProxy: isProxy]
        party.refused.insert(refused)
        party.credential = nil
        use(party, isProxy: isProxy)
    }

    /// Sends no credentials from now on, whatever a response asks for, except a proxy's for Basic.
    mutating func refuseAll() {
        let refused = Party(credential: nil, failures: AuthenticationChallenge.maximumFailures)
        (server, proxy) = (refused, sent.proxy?.scheme == .basic ? proxy : refused)
    }

    /// Chooses the credentials that libcurl is given for an attempt.
    ///
    /// With a credential for Digest or NTLM, libcurl begins with a request without the body, since it expects a
    /// challenge. A server that does not ask for a credential there would process that request. An accepted credential
    /// for such a scheme is therefore not sent with a body until the server asks.
    mutating func choose(hasBody: Bool, accepted: CredentialPair) -> CredentialPair {
        func isSent(_ known: SchemeCredential?) -> Bool { !hasBody || known?.scheme == .basic }
        self.accepted = accepted
        sent.server = server.credential ?? (isSent(accepted.server) ? accepted.server : nil)
        sent.proxy = proxy.credential ?? (isSent(accepted.proxy) ? accepted.proxy : nil)
        return sent
    }
}
