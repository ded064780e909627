import Ferry

extension FetchTransfer {
    /// Waits for the metrics of all tasks and returns their requests.
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
            // A certificate may also be refused after the handshake.
            if failure.status == .tls { requests[last].failedPhase = .tls }
        }
        return requests
    }

    /// Returns the timing of a request that was cancelled before it was sent.
    private func unsent(_ exchange: Exchange, wanted: Double) -> RequestTiming {
        var request = RequestTiming(transfer: fetch.index)
        request.url = exchange.currentURL.presentableText
        request.method = options.effectiveMethod
        (request.wanted, request.start) = (wanted, max(wanted, fetch.recorder.now))
        return request
    }
}
