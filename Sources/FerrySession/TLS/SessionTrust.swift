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

    private let state = Mutex((current: Current(), isUsed: false))

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
        }
    }
}
