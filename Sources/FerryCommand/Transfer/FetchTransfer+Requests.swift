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
                requests.append(cutOff(exchange, wanted: wanted))
            }
        }
        if let failure, let last = requests.indices.last {
            requests[last].failure = failure.message(without: fetch.url)
            // libcurl does not time a connection whose handshake fails.
            if failure.status == .tls { requests[last].failedPhase = .tls }
        }
        return requests
    }

    /// A request that was cancelled under way: only what has been seen of it is known.
    private func cutOff(_ exchange: Exchange, wanted: Double) -> RequestTiming {
        var request = RequestTiming(transfer: fetch.index)
        request.url = exchange.currentURL.withoutCredentials
        request.isCutOff = true
        request.method = options.effectiveMethod
        request.status = exchange.response?.statusCode
        request.bytesReceived = exchange.received
        (request.wanted, request.start) = (wanted, wanted)
        request.end = max(0, fetch.recorder.now - wanted)
        if let head = exchange.headAt { request.responseStart = min(max(0, head - wanted), request.end) }
        return request
    }
}
