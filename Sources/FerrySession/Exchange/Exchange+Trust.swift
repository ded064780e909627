/// Waits for the user's code where it decides about a connection's trust.
extension Exchange {
    /// Waits for the decision that the attempt has ended without.
    func waitForTrust() {
        repetition.reconnections += 1
        // The decision may have come already, with its command in the inbox.
        if let decidedTrust, decidedTrust.question == attempt?.trust.pendingQuestion {
            engine.start(self, priority: priority)
        } else {
            engine.wait(self)
        }
    }

    func continueAfterTrust(_ question: TrustQuestion, _ decision: TrustDecision) {
        guard client != nil else { return }
        decidedTrust = DecidedTrust(question: question, decision: decision)
        continueAfterWait()
    }

    func continueAfterWait() {
        guard client != nil, engine.endWait(self) else { return }
        engine.start(self, priority: priority)
    }

    /// Asks a policy of the user's what libcurl verifies for a host, where that is not known yet.
    ///
    /// Returns whether the exchange waits for it.
    func mustWaitForVerification(of origin: Origin) -> Bool {
        guard origin.scheme == "https" else { return false }
        let current = engine.trust.use()
        guard let policy = current.policy, !(policy is any ImmediateTrustPolicy),
            engine.trust.verification(for: origin.host, revision: current.revision) == nil
        else { return false }
        engine.wait(self)
        engine.trustQuestions.run { [self] in
            let verification = policy.verification(for: origin.host)
            engine.trust.note(verification, for: origin.host, revision: current.revision)
            engine.submit(.verificationKnown(self))
        }
        return true
    }
}
