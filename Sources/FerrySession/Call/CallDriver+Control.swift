/// Performs what the task asks for while the call continues: suspension, flow control, answers to questions.
extension CallDriver: TaskDriver {
    func perform(_ command: TaskCommand) {
        guard case .start(let priority) = command else { return engine.submit(.run { [self] in follow(command) }) }
        engine.submit(.start(self, priority: priority), mayRunInline: call.content.isNone)
    }

    private func follow(_ command: TaskCommand) {
        switch command {
        case .start: break
        case .suspensionChanged: followSuspension()
        case .readMore: readMore()
        case .cancel(let client, let producesResumeData):
            let data = producesResumeData ? makeResumeData() : nil
            transfer.attempt?.noteCancellation(engine)
            send(.cancelled)
            client?.receive(.cancelled(resumeData: data))
        case .redirect(let request): send(.redirected(request))
        case .authenticate(let disposition, let credential): send(.authenticated(disposition, credential))
        case .bodyStream(let box): send(.bodyStream(box))
        case .becomeDownload(let client): becomeDownload(for: client)
        case .askIsSending(let time, let answer):
            answer.give(transfer.attempt?.connection?.isSending(since: MonotonicTime.now().before(time)) ?? false)
        }
    }

    // MARK: - Suspension

    /// Suspends or resumes the call if the client was suspended or resumed.
    func followSuspension() {
        guard let client, transfer.isSuspended != client.isSuspended else { return }
        if transfer.isSuspended { resume() } else { suspend() }
        send(.mayMove)
        liftPause()
        feed()
    }

    private func suspend() {
        transfer.pauses.insert(.suspended)
        transfer.clock.stop(at: .now())
        transfer.clock.stopCall(at: .now())
        transfer.attempt?.liftConnectLimit()
        // No other transfer waits for the slot of a suspended one; its connection is kept.
        if transfer.phase == .waitingForSlot, transfer.hasConnection { transfer.phase = .parked }
        send(.suspended)
        if transfer.phase == .running || transfer.phase == .parked { engine.giveUpSlot(transfer) }
    }

    private func resume() {
        transfer.pauses.remove(.suspended)
        transfer.clock.startCall(at: .now())
        send(.resumed)
        engine.watch(transfer)
    }

    // MARK: - Flow

    /// Continues to deliver, since the client has room again.
    func readMore() {
        guard client != nil, call.held == nil else { return }
        setClientFull(false)
        engine.watch(transfer)
        guard decodeWaiting() else { return send(.bodyFailed) }
        feed()
        goOn()
    }

    /// Continues after a pause of the transfer, or since the limits on bytes per second allow it again.
    func goOn() {
        engine.watch(transfer)
        send(.drained)
        // The stream may have been given up while it was paused.
        send(.mayMove)
        liftPause()
    }

    /// Continues to send, since the body's stream has bytes again.
    func bodyAvailable() {
        guard client != nil, transfer.pauses.contains(.bodyIsStarved) else { return }
        transfer.setPause(.bodyIsStarved, false)
        engine.watch(transfer)
        liftPause()
    }

    func setClientFull(_ isFull: Bool) { transfer.setPause(.clientIsFull, isFull) }

    /// Applies the reasons to pause, which may end the attempt; must not be called within libcurl's callbacks.
    func liftPause() {
        guard client != nil else { return }
        let code = transfer.attempt?.apply(transfer.pauses) ?? 0
        if code != 0, client != nil { attemptEnded(code) }
    }
}
