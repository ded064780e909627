/// What an answer means for stored responses: it validates, invalidates or updates them (RFC 9111, section 4.3 and 4.4).
extension Transfer {
    /// Sees whether the head of an answer is about a stored response; `nil` where it is an answer like any other, else
    /// whether the attempt goes on.
    func judgeForCache(_ head: ResponseHead) -> Bool? {
        invalidate(head)
        if let completion = caching?.completion { return complete(completion, with: head) }
        guard let caching, let entry = caching.entry else { return nil }
        if head.status == 304, !caching.conditions.isEmpty {
            let isAboutEntry = CacheValidation.selects(entry.fields, by: CacheFields(head.fields))
            self.caching?.outcome = isAboutEntry ? .notModified(head) : .asksAgain
            return isAboutEntry
        }
        guard CacheUseRule.isError(status: head.status), !isRevalidation, caching.mayUseOnError(entry) else {
            return nil
        }
        self.caching?.outcome = .servesStale
        return false
    }

    /// An answer to an unsafe request tells what holds no more, whatever kind of task has sent it.
    private func invalidate(_ head: ResponseHead) {
        guard let cache = engine.settings.cache, let url = request.url else { return }
        for url in CacheInvalidation.invalidated(by: head, to: url, method: request.httpMethod ?? "GET") {
            cache.remove(for: url)
        }
    }

    /// The attempt is over; answers whether the stored response settles the matter.
    func settleWithCache(_ code: Int32) -> Bool {
        guard let exchange = caching, let outcome = exchange.outcome else { return false }
        caching?.outcome = nil
        if case .asksAgain = outcome {
            ignoresCache = true
            engine.start(self, priority: priority)
            return true
        }
        guard let entry = exchange.entry else { return false }
        switch outcome {
        case .notModified(let head):
            guard code == 0, ownFailure == nil else { return false }
            serveValidated(entry, head, exchange)
        case .servesStale:
            serveStale(entry)
        case .asksAgain: break
        }
        return true
    }

    private func serveValidated(_ entry: CacheEntry, _ head: ResponseHead, _ exchange: CacheExchange) {
        var stored = entry.stored
        stored.head.fields = CacheValidation.merge(stored.head.fields, with: head.fields)
        stored.responseTime = Date()
        stored.requestTime = sentAt ?? stored.responseTime
        let fields = CacheFields(stored.head.fields)
        var current = CacheEntry(stored, body: entry.body)
        var getRequest = exchange.request
        getRequest.method = "GET"
        if CacheStorageRule.mayStore(status: stored.head.status, fields: fields, request: getRequest) {
            current = exchange.cache.update(entry, to: stored)
        } else {
            exchange.cache.remove(exchange.key)
        }
        if isRevalidation { return finishSilently() }
        serve(current, fields: stored.head.fields)
    }

    /// Serves a stale response in place of a network's failure, where that is allowed (RFC 5861, section 4).
    func serveStale(insteadOf error: URLError) -> Bool {
        guard let caching, let entry = caching.entry, client != nil, response == nil, held == nil, !isRevalidation,
            CacheUseRule.isError(code: error.code), caching.mayUseOnError(entry)
        else { return false }
        letGoOfAttempt()
        serveStale(entry)
        return true
    }

    private func serveStale(_ entry: CacheEntry) {
        ownFailure = nil
        let age = entry.freshness(at: Date()).age
        serve(entry, fields: CacheValidation.withAge(entry.stored.head.fields, age))
    }

    /// Ends a validation that nobody waits for.
    private func finishSilently() {
        let client = client
        cancel()
        client?.transfer(didFinishWith: nil, file: nil)
    }
}
