/// What an evaluator or a policy is asked about a connection, as a value that tells the same question from another.
struct TrustQuestion: Hashable, Sendable {
    var origin: Origin
    var certificates: [Data]
    var verifyResult: Int?
    /// The revision of the session's trust that the question belongs to.
    var revision: Int
}

/// A policy that neither waits nor calls code of the user's, so that the engine's thread asks it directly.
package protocol ImmediateTrustPolicy: ServerTrustPolicy {}

/// Asks evaluators and policies on threads of their own, so that one that takes its time holds up no other transfer.
///
/// libcurl cannot pause a connection between its handshake and its request. So the engine waits a moment for the decision,
/// which is enough for nearly all evaluators. After that the connection is closed, the transfer waits without one, and
/// the decision counts for the transfer's next connection, if the server shows the same chain there.
final class TrustQuestions: Sendable {
    /// How long the engine's thread waits for a decision, in milliseconds.
    static let patience = 50

    private struct State {
        /// Who waits for the answer to a question that has been asked.
        var waiting: [TrustQuestion: [@Sendable (TrustDecision) -> Void]] = [:]
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "Ferry trust", attributes: .concurrent)

    /// Asks a question, and returns the decision where it comes at once; else `whenDecided` is called with it later, on
    /// another thread.
    ///
    /// The same question is asked once at a time. While one is open already, the thread does not wait for another.
    func ask(
        _ question: TrustQuestion,
        by decide: @escaping @Sendable () -> TrustDecision,
        whenDecided: @escaping @Sendable (TrustDecision) -> Void
    ) -> TrustDecision? {
        let (isAsked, isFirst) = state.withLock { state -> (Bool, Bool) in
            let isFirst = state.waiting.isEmpty
            let isAsked = state.waiting[question] != nil
            state.waiting[question, default: []] += isAsked ? [whenDecided] : []
            return (isAsked, isFirst)
        }
        guard !isAsked else { return nil }
        let decided = DispatchSemaphore(value: 0)
        let box = DecisionBox()
        queue.async { [self] in
            let decision = decide()
            box.decision.withLock { $0 = decision }
            decided.signal()
            let waiting = state.withLock { $0.waiting.removeValue(forKey: question) ?? [] }
            for whenDecided in waiting { whenDecided(decision) }
        }
        if isFirst, decided.wait(timeout: .now() + .milliseconds(Self.patience)) == .success {
            return box.decision.withLock { $0 }
        }
        let isOpen = state.withLock { state -> Bool in
            guard state.waiting[question] != nil else { return false }
            state.waiting[question]?.append(whenDecided)
            return true
        }
        // It was decided just now.
        return isOpen ? nil : box.decision.withLock { $0 }
    }

    /// Runs code of the user's on another thread.
    func run(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }
}

/// Carries a decision from the thread that makes it to the one that waits.
private final class DecisionBox: Sendable {
    let decision = Mutex<TrustDecision?>(nil)
}
