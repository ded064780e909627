/// The trust policy of a session as it is now, with a number for each one there has been.
///
/// A verdict on a connection counts under the revision it was given in, and under no other: a connection that an
/// earlier, weaker policy has accepted must not carry a request under a stricter one.
final class SessionTrust: Sendable {
    struct Current: Sendable {
        var revision = 0
        var policy: (any ServerTrustPolicy)?
        /// Whether there may be connections that another policy, or none, has let through.
        var isLater = false
    }

    private struct State: Sendable {
        var current = Current()
        var isUsed = false
        /// What the policy wants to have verified, by host.
        var verifications: [String: TrustVerification] = [:]
    }

    /// How many hosts' verifications are kept.
    private static let mostVerifications = 1000

    private let state = Mutex(State())

    /// What holds now.
    var current: Current { state.withLock { $0.current } }

    /// What holds for a connection that is about to be chosen.
    func use() -> Current {
        state.withLock { state in
            state.isUsed = true
            return state.current
        }
    }

    func replace(_ policy: (any ServerTrustPolicy)?) {
        state.withLock { state in
            state.current.revision += 1
            state.current.policy = policy
            state.current.isLater = state.isUsed
            state.verifications = [:]
        }
    }

    /// What the policy of a revision wants to have verified for a host, where it has been asked.
    func verification(for host: String, revision: Int) -> TrustVerification? {
        state.withLock { $0.current.revision == revision ? $0.verifications[host] : nil }
    }

    func note(_ verification: TrustVerification, for host: String, revision: Int) {
        state.withLock { state in
            guard state.current.revision == revision else { return }
            if state.verifications.count >= Self.mostVerifications { state.verifications = [:] }
            state.verifications[host] = verification
        }
    }
}
