/// The current trust policy of a session, with a revision number that changes when the policy is replaced.
///
/// A verdict on a connection is valid only for the revision under which it was given: a connection that an earlier,
/// weaker policy has accepted must not carry a request under a stricter one.
package final class SessionTrust: Sendable {
    package struct Current: Sendable {
        package var revision = 0
        package var policy: (any ServerTrustPolicy)?
        /// Whether there may be connections that were accepted under another policy, or without one.
        var isLater = false
    }

    private struct State: Sendable {
        package var current = Current()
        package var isUsed = false
        /// The checks that the current policy requires of libcurl, by host.
        var verifications: [String: TrustVerification] = [:]
    }

    private let state = Mutex(State())

    /// Asks the program about connections.
    package let questions = TrustQuestions()

    package init() {}

    package var current: Current { state.withLock { $0.current } }

    /// Returns the current policy for a connection that is about to be chosen, and records that it was used.
    package func use() -> Current {
        state.withLock { state in
            state.isUsed = true
            return state.current
        }
    }

    /// Replaces the policy; the old one is released without the lock, since its `deinit` may use the session.
    package func replace(_ policy: (any ServerTrustPolicy)?) {
        let old = state.withLock { state in
            let old = state.current.policy
            state.current.revision += 1
            state.current.policy = policy
            state.current.isLater = state.isUsed
            state.verifications = [:]
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Returns what the policy of a revision requires libcurl to verify for a host, or `nil` if it has not been asked
    /// yet.
    package func verification(for host: String, revision: Int) -> TrustVerification? {
        state.withLock { $0.current.revision == revision ? $0.verifications[host] : nil }
    }

    package func note(_ verification: TrustVerification, for host: String, revision: Int) {
        state.withLock { state in
            guard state.current.revision == revision else { return }
            // A bound, because a session may see any number of hosts.
            if state.verifications.count >= 1000 { state.verifications = [:] }
            state.verifications[host] = verification
        }
    }
}

/// A question to an evaluator or a policy about a connection; equal values are the same question.
package struct TrustQuestion: Hashable, Sendable {
    package var origin: Origin
    package var certificates: [Data]
    package var verifyResult: Int?
    /// The revision of the session's trust policy that the question belongs to.
    package var revision: Int
}

/// Calls evaluators and policies on a concurrent queue, so that a slow one delays no other transfer.
///
/// libcurl cannot pause a connection between its handshake and its request. So the engine waits briefly for the
/// decision, which is long enough for nearly all evaluators. After that the connection is closed, the transfer waits
/// without a connection, and the decision applies to the transfer's next one, if the server presents the same chain
/// there.
package final class TrustQuestions: Sendable {
    /// The time, in milliseconds, for which the engine's thread waits for a decision.
    package static let patience = 50
    /// The longest time of waits in a row; after that, the engine may spend a tenth of its time on waits.
    private static let maximumBurst = TimeSpan.milliseconds(200)

    private struct State {
        /// The callbacks to run when a pending question is decided.
        var pending: [TrustQuestion: [@Sendable (TrustDecision) -> Void]] = [:]
        /// The time at which the waits so far will be a tenth of the time.
        var paid = MonotonicTime.now()
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "Ferry trust", attributes: .concurrent)

    /// Returns the decision, or `nil` if it comes later, when `whenDecided` is called with it on another thread.
    ///
    /// A question is asked only once at a time. While any is pending, or after the engine's thread has let other
    /// transfers wait for much of the time (`delaysOthers` shows whether there are any), it does not wait for another
    /// one.
    package func ask(
        _ question: TrustQuestion,
        delaysOthers: Bool = true,
        by decide: @escaping @Sendable () -> TrustDecision,
        whenDecided: @escaping @Sendable (TrustDecision) -> Void
    ) -> TrustDecision? {
        let start = MonotonicTime.now()
        let (isAsked, mayWait) = state.withLock { state -> (Bool, Bool) in
            let burst = TimeSpan(nanoseconds: 10 * Self.maximumBurst.nanoseconds)
            let mayWait = state.pending.isEmpty && (!delaysOthers || state.paid <= start.advanced(by: burst))
            let isAsked = state.pending[question] != nil
            state.pending[question, default: []] += isAsked ? [whenDecided] : []
            return (isAsked, mayWait)
        }
        guard !isAsked else { return nil }
        let decided = DispatchSemaphore(value: 0)
        let result = Mutex<TrustDecision?>(nil)
        queue.async { [self] in
            let decision = decide()
            result.withLock { $0 = decision }
            decided.signal()
            for callback in state.withLock({ $0.pending.removeValue(forKey: question) ?? [] }) { callback(decision) }
        }
        if mayWait {
            let end = decided.wait(timeout: .now() + .milliseconds(Self.patience))
            let cost = TimeSpan(nanoseconds: 10 * MonotonicTime.now().since(start).nanoseconds)
            if delaysOthers { state.withLock { $0.paid = max($0.paid, start).advanced(by: cost) } }
            if end == .success { return result.withLock { $0 } }
        }
        let isOpen = state.withLock { state -> Bool in
            state.pending[question]?.append(whenDecided)
            return state.pending[question] != nil
        }
        // The question was decided in the meantime.
        return isOpen ? nil : result.withLock { $0 }
    }

    /// Runs the application's code on another thread.
    package func run(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
