/// Connects a task with the classes of `protocolClasses`.
extension TaskCore: ProtocolLoadClient {
    var protocolTask: URLSessionTask? { state.withLock { $0.task } }

    var redirectCount: Int { state.withLock { $0.redirectCount } }

    func protocolLoadMayBegin(_ load: ProtocolLoad) -> Bool {
        let (isWanted, old) = state.withLock { state -> (Bool, (any TaskDriver)?) in
            guard state.lifecycle == .active else { return (false, nil) }
            defer { state.driver = load }
            return (true, state.driver === load ? nil : state.driver)
        }
        // The engine's transfer led here by a redirect and is finished.
        old?.perform(.cancel(telling: nil))
        return isWanted
    }

    func protocolLoadIsUnclaimed(_ load: ProtocolLoad, _ request: URLRequest, _ body: BodySource) {
        let driver = state.withLock { $0.driver }
        if let transfer = driver as? Exchange { return transfer.perform(.redirect(request)) }
        startTransfer(request, body)
    }

    /// Follows a redirect received by the engine, which may lead to a protocol class.
    func followRedirect(_ response: HTTPURLResponse, to next: URLRequest?, _ driver: any TaskDriver) {
        let (session, body, isDownload, request) = state.withLock { state in
            (state.session, state.body, state.isDownload, state.currentRequest)
        }
        guard driver is Exchange, let next, let request, let session, session.protocols.mayClaim(next) else {
            return driver.perform(.redirect(next))
        }
        // The protocol class is given the task, whose current request must be the next one from now on.
        state.withLock { $0.currentRequest = next }
        let load = ProtocolLoad(
            next,
            body: BodySource.afterRedirection(body, status: response.statusCode, from: request, to: next),
            toFile: isDownload,
            client: self,
            classes: session.protocols,
            settings: session.engineSettings
        )
        load.perform(.start(priority: priority))
    }
}
