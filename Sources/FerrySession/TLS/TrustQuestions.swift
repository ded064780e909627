/// A question to an evaluator or a policy about a connection; equal values are the same question.
struct TrustQuestion: Hashable, Sendable {
    var origin: Origin
    var certificates: [Data]
    var verifyResult: Int?
    /// The revision of the session's trust policy that the question belongs to.
    var revision: Int
}

/// A policy that neither blocks nor calls the application's code, so the engine's thread can call it directly.
package protocol ImmediateTrustPolicy: ServerTrustPolicy {}

/// Calls evaluators and policies on a concurrent queue, so that a slow one delays no other transfer.
///
/// libcurl cannot pause a connection between its handshake and its request. So the engine waits briefly for the
/// decision, which is long enough for nearly all evaluators. After that the connection is closed, the transfer waits
/// without a connection, and the decision applies to the transfer's next one, if the server presents the same chain
/// there.
final class TrustQuestions: Sendable {
    /// How long the engine's thread waits for a decision, in milliseconds.
    static let patience = 50

    private struct State {
        /// The callbacks to run when a pending question is decided.
        var waiting: [TrustQuestion: [@Sendable (TrustDecision) -> Void]] = [:]
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "Ferry trust", attributes: .concurrent)

    /// Asks a question, and returns the decision if it is made in time; otherwise calls `whenDecided` with it later, on
    /// another thread.
    ///
    /// The same question is asked only once at a time. While any question is pending, the engine's thread does not wait
    /// for another one.
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
        // It was decided in the meantime.
        return isOpen ? nil : box.decision.withLock { $0 }
    }

    /// Runs the application's code on another thread.
    func run(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }
}

/// Carries a decision from the thread that makes it to the thread that waits for it.
private final class DecisionBox: Sendable {
    let decision = Mutex<TrustDecision?>(nil)
}
