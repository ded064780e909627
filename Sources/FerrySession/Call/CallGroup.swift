/// The state that the calls of a session share, besides the engine.
///
/// `@unchecked Sendable`: only the thread that has the engine uses what changes.
final class CallGroup: @unchecked Sendable {
    let settings: CurlSessionSettings
    private let dispatcher: DelegateDispatcher
    var retryBudgets = RetryBudgets()
    /// The transfers that other calls may join.
    var sharedTransfers: [SharedTransfer.Key: SharedTransfer] = [:]
    var acceptedCredentials: AcceptedCredentials
    /// Validations of stored responses that no task waits for, by the keys of the responses.
    private var revalidations: [String: CallDriver] = [:]
    /// Responses of this turn that have not been built yet.
    private var unbuilt: [ReceivedResponse] = []

    init(_ settings: CurlSessionSettings, _ dispatcher: DelegateDispatcher) {
        (self.settings, self.dispatcher) = (settings, dispatcher)
        acceptedCredentials = AcceptedCredentials(settings.options.proxy.knownCredentials)
    }

    // MARK: - The cache

    /// Validates a stored response for later requests, unless that is being done already.
    ///
    /// The request contains no more than the call's, and is not sent while the call's circuit is open. The call's
    /// client decides what is stored.
    func revalidate(_ stale: Call, key: String, like transfer: Transfer, for staleClient: any CallClient) {
        guard revalidations[key] == nil else { return }
        let request = stale.request.complete
        let client = CacheRevalidation(storing: staleClient.makeStoring()) { [weak self] in
            // As a command, since the call is handling an event; it has no effect on a call that is over.
            self?.revalidations.removeValue(forKey: key)?.perform(.cancel(telling: nil))
        }
        let limits = transfer.clock.limits
        let redirects = Redirects(original: request, hasLeftOrigin: stale.redirects.hasLeftOrigin)
        var call = Call(request, body: .none, isDownload: false, settings: settings, redirects: redirects)
        call.circuit = CircuitUse(stale.circuit.breaker)
        let driver = CallDriver(transfer.engine, self, call, client: client, limits: limits)
        driver.cache.isEnabled = true
        driver.cache.isRevalidation = true
        revalidations[key] = driver
        driver.perform(.start(priority: URLSessionTask.lowPriority))
    }

    /// Ends the validations of stored responses that no task waits for.
    func cancelRevalidations() {
        let cancelled = revalidations.values
        revalidations = [:]
        for driver in cancelled { driver.send(.cancelled) }
    }

    // MARK: - Responses

    /// Adds a response that is built before the delegate queue needs it.
    func prebuild(_ response: ReceivedResponse) { unbuilt.append(response) }

    /// Builds responses, the last one first, while the delegate queue, which was woken, begins with the first one.
    private func buildResponses() {
        while let response = unbuilt.popLast() { response.prebuild() }
    }
}

extension CallGroup: EngineObserver {
    func engineDidBeginTurn() { dispatcher.engineDidBeginTurn() }

    func engineDidEndTurn() {
        // A single one is built immediately: the delegate queue would only wait for it.
        if unbuilt.count == 1 { buildResponses() }
        dispatcher.engineDidEndTurn()
        buildResponses()
    }

    func engineIsStopping() { cancelRevalidations() }
    func engineDidLeaveThread() { dispatcher.engineDidLeaveThread() }
}
