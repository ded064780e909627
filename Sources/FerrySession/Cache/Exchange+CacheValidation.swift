/// What a response means for stored responses: it validates, invalidates or updates them (RFC 9111, sections 4.3 and 4.4).
extension Exchange {
    /// Decides whether the head of a response is about a stored response, and returns whether the attempt goes on; `nil`
    /// where it is a response like any other.
    func compareWithCache(_ head: ResponseHead, of attempt: NetworkAttempt) -> Bool? {
        invalidate(head)
        if let completion = caching.context?.completion { return complete(completion, with: head, of: attempt) }
        guard let context = caching.context, let entry = context.entry else { return nil }
        if head.status == 304, !context.conditions.isEmpty {
            guard CacheValidation.selects(entry.fields, by: CacheFields(head.fields)) else {
                attempt.again = .withoutConditions
                return false
            }
            caching.context?.outcome = .notModified(head)
            return true
        }
        guard CacheUseRule.isError(status: head.status), !caching.isRevalidation, context.mayUseOnError(entry) else {
            return nil
        }
        caching.context?.outcome = .servesStale
        return false
    }

    /// Removes the stored responses that are no longer valid after an unsafe request, whatever kind of task has sent it.
    private func invalidate(_ head: ResponseHead) {
        guard let cache = engine.settings.cache, let url = request.url else { return }
        for url in CacheInvalidation.invalidated(by: head, to: url, method: method) { cache.remove(for: url) }
    }

    /// Delivers the stored response with the fields of the 304 that validated it.
    func serveValidated() {
        guard let context = caching.context, let entry = context.entry, case .notModified(let head) = context.outcome
        else { return failAttempt() }
        caching.context?.outcome = nil
        var stored = entry.stored
        stored.head.fields = CacheValidation.merge(stored.head.fields, with: head.fields)
        stored.responseTime = Date()
        stored.requestTime = attempt?.timing.start ?? stored.responseTime
        let fields = CacheFields(stored.head.fields)
        var current = CacheEntry(stored, body: entry.body)
        var getRequest = context.request
        getRequest.method = "GET"
        if CacheStorageRule.mayStore(status: stored.head.status, fields: fields, request: getRequest) {
            current = context.cache.update(entry, to: stored)
        } else {
            context.cache.remove(context.key)
        }
        if caching.isRevalidation { return finishSilently() }
        serve(current, fields: stored.head.fields)
    }

    /// Delivers a stale response in place of an error that the server or the network has caused.
    func serveStale() {
        guard let entry = caching.context?.entry else { return failAttempt() }
        caching.context?.outcome = nil
        let age = entry.freshness(at: Date()).age
        serve(entry, fields: CacheValidation.withAge(entry.stored.head.fields, age))
    }

    /// Delivers a stale response in place of a network's failure, where that is allowed (RFC 5861, section 4).
    func serveStale(insteadOf error: URLError) -> Bool {
        guard let context = caching.context, let entry = context.entry, client != nil, response == nil,
            incoming.question == nil, !caching.isRevalidation, CacheUseRule.isError(code: error.code),
            context.mayUseOnError(entry)
        else { return false }
        endAttempt()
        serveStale()
        return true
    }

    /// Ends a validation that no task waits for.
    private func finishSilently() {
        let client = client
        cancel()
        client?.exchange(didFinishWith: nil, file: nil)
    }
}
