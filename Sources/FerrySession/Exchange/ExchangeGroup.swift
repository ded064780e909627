/// What the exchanges of a session have in common besides the engine.
///
/// `@unchecked Sendable`: only the thread that has the engine uses what changes.
final class ExchangeGroup: @unchecked Sendable {
    let settings: ExchangeSettings
    private let dispatcher: DelegateDispatcher
    var retryBudgets = RetryBudgets()
    var sharedTransfers = SharedTransfers()
    /// Credentials that were accepted in this session, and are sent without a challenge from then on.
    var acceptedCredentials: [CredentialPlace: SchemeCredential] = [:]
    /// The number of times they were forgotten.
    private(set) var credentialsGeneration = 0
    /// Validations of stored responses that no task waits for, by the keys of the responses.
    private var revalidations: [String: Exchange] = [:]
    /// Responses of this turn that have not been built yet.
    private var unbuilt: [ReceivedResponse] = []

    init(_ settings: ExchangeSettings, _ dispatcher: DelegateDispatcher) {
        self.settings = settings
        self.dispatcher = dispatcher
    }

    func forgetCredentials() {
        acceptedCredentials = [:]
        credentialsGeneration += 1
    }

    // MARK: - The cache

    /// Validates a stored response for later requests, once at a time.
    ///
    /// The request carries no more than that of the task: `hasLeftOrigin` indicates whether a redirect has led to it.
    func revalidate(_ request: URLRequest, key: String, hasLeftOrigin: Bool, like transfer: Transfer) {
        guard revalidations[key] == nil else { return }
        let client = CacheRevalidation { [weak self] in self?.revalidations[key] = nil }
        let limits = transfer.clock.limits
        let exchange = Exchange(
            transfer.engine,
            self,
            request,
            body: .none,
            toFile: false,
            client: client,
            limits: limits
        )
        exchange.caching.isEnabled = true
        exchange.caching.isRevalidation = true
        exchange.redirects.hasLeftOrigin = hasLeftOrigin
        client.attach(exchange)
        revalidations[key] = exchange
        exchange.perform(.start(priority: URLSessionTask.lowPriority))
    }

    /// Ends the validations of stored responses that no task waits for.
    func cancelRevalidations() {
        let cancelled = revalidations.values
        revalidations = [:]
        for exchange in cancelled { exchange.cancel() }
    }

    // MARK: - Responses

    /// Adds a response that is built before the delegate queue needs it.
    func prebuild(_ response: ReceivedResponse) { unbuilt.append(response) }

    /// Builds responses from the last one on, while the delegate queue, which was woken, begins with the first.
    private func buildResponses() {
        while let response = unbuilt.popLast() { response.prebuild() }
    }
}

extension ExchangeGroup: EngineObserver {
    func engineDidStart() { dispatcher.engineDidStart() }

    func engineDidEndTurn() {
        // A single one is built immediately: the delegate queue would only wait for it.
        if unbuilt.count == 1 { buildResponses() }
        dispatcher.engineDidEndTurn()
        buildResponses()
    }

    func engineIsStopping() { cancelRevalidations() }
    func engineDidStop() { dispatcher.engineDidStop() }
}
