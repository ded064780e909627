/// The current trust policy of a session, with a revision number that changes when the policy is replaced.
///
/// A verdict on a connection is valid only for the revision under which it was given: a connection that an earlier,
/// weaker policy has accepted must not carry a request under a stricter one.
final class SessionTrust: Sendable {
    struct Current: Sendable {
        var revision = 0
        var policy: (any ServerTrustPolicy)?
        /// Whether there may be connections that were accepted under another policy, or without one.
        var isLater = false
    }

    private struct State: Sendable {
        var current = Current()
        var isUsed = false
        /// What the current policy requires libcurl to verify, by host.
        var verifications: [String: TrustVerification] = [:]
    }

    /// The maximum number of hosts whose verifications are kept.
    private static let mostVerifications = 1000

    private let state = Mutex(State())

    /// The current policy.
    var current: Current { state.withLock { $0.current } }

    /// Returns the current policy for a connection that is about to be chosen, and records that it was used.
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

    /// Returns what the policy of a revision requires libcurl to verify for a host, or `nil` if it has not been asked
    /// yet.
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
