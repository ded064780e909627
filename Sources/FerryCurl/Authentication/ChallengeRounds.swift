/// The responses of an attempt that have asked for a credential.
package struct ChallengeRounds: Sendable {
    /// The number of such responses; the first one comes before any credential was sent.
    private var count = 0
    /// The number of later responses that have called the nonce of a Digest credential stale.
    private var staleNonces = 0

    package init() {}

    /// Whether no response has asked for a credential.
    package var isUnused: Bool { count == 0 }

    /// Counts a response with status 401 or 407, and returns whether libcurl may continue with the credential.
    ///
    /// Schemes that exchange tokens may take one response more than Digest, for example NTLM within Negotiate.
    package mutating func mayContinue(_ head: ResponseHead, scheme: AuthenticationScheme?) -> Bool {
        count += 1
        if count > 1, scheme == .digest, AuthenticateField.isStale(AuthenticationChallenge.values(head)) {
            staleNonces += 1
        }
        return RepetitionRule.mayAnswerChallenge(rounds: count, staleNonces: staleNonces)
    }
}
