import Ferry

extension FetchTransfer {
    /// The requests that went out, when all tasks are over.
    func requests(failure: CommandFailure?) async -> [RequestTiming] {
        var requests: [RequestTiming] = []
        for exchange in exchanges {
            let metrics = await exchange.collector.metrics()
            fetch.console.verbose(MetricsText.lines(metrics))
            var wanted = exchange.collector.wanted
            for transaction in metrics.transactions {
                let origin = fetch.recorder.startedAt
                let request = RequestTiming(transaction, transfer: fetch.index, since: origin, wanted: wanted)
                requests.append(request)
                wanted = request.start + request.end
            }
            if metrics.transactions.count < exchange.requestCount {
                requests.append(unsent(exchange, wanted: wanted))
            }
        }
        if let failure, let last = requests.indices.last {
            requests[last].failure = failure.message(without: fetch.url)
            // A certificate may be refused after the handshake, too.
            if failure.status == .tls { requests[last].failedPhase = .tls }
        }
        return requests
    }

    /// A request that was cancelled while it waited for its turn.
    private func unsent(_ exchange: Exchange, wanted: Double) -> RequestTiming {
        var request = RequestTiming(transfer: fetch.index)
        request.url = exchange.currentURL.presentableText
        request.method = options.effectiveMethod
        (request.wanted, request.start) = (wanted, max(wanted, fetch.recorder.now))
        return request
    }
}
