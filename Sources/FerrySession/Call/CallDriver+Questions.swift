/// Questions to the program's trust policy and interceptors.
///
/// None is asked on the engine's thread; each answer is an event of the call.
extension CallDriver {
    /// Finds out what libcurl verifies for a host, which may take a question to the policy.
    func verify(_ origin: Origin) {
        let current = engine.trust.use()
        guard let policy = current.policy, !(policy is any ImmediateTrustPolicy),
            engine.trust.verification(for: origin.host, revision: current.revision) == nil
        else { return send(.verified) }
        engine.wait(transfer)
        engine.trust.questions.run { [self] in
            let verification = policy.verification(for: origin.host)
            engine.trust.note(verification, for: origin.host, revision: current.revision)
            engine.submit(
                .run { [self] in
                    if call.stage == .preparing, engine.endWait(transfer) { verify(origin) }
                }
            )
        }
    }

    /// Asks interceptors in a Swift task.
    func ask(_ number: Int, _ answer: @escaping @Sendable () async -> InterceptorAnswer) {
        stopAsking()
        question = Task { [weak self] in
            let answer = await answer()
            guard let self else { return }
            engine.submit(.run { [self] in send(.answered(number, answer)) })
        }
    }

    func stopAsking() {
        guard let task = question else { return }
        question = nil
        // Not on this thread, since cancellation handlers are user code.
        Task.detached { task.cancel() }
    }
}
