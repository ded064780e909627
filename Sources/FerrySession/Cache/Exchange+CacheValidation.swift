/// What a response means for stored responses: it validates, invalidates or updates them (RFC 9111, sections 4.3 and
/// 4.4).
extension Exchange {
    /// Decides whether the head of a response is about a stored response, and returns whether the attempt goes on;
    /// `nil` where it is a response like any other.
    func compareWithCache(_ head: ResponseHead, of attempt: NetworkAttempt) -> Bool? {
        invalidate(head)
        if let completion = caching.context?.completion { return complete(completion, with: head, of: attempt) }
        guard let context = caching.context, let entry = context.entry else { return nil }
        if head.status == 304, !context.conditions.isEmpty {
            guard CacheValidation.selects(entry.fields, by: CacheFields(head.fields)) else {
                incoming.again = .withoutConditions
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

    /// Removes the stored responses that are no longer valid after an unsafe request, whatever kind of task has sent
    /// it.
    private func invalidate(_ head: ResponseHead) {
        guard let cache = settings.cache, let url = request.url else { return }
        for url in CacheInvalidation.invalidated(by: head, to: url, method: method) { cache.remove(for: url) }
    }

    /// Delivers the stored response with the fields of the 304 that validated it.
    func serveValidated() {
        guard let context = caching.context, let entry = context.entry, case .notModified(let head) = context.outcome
        else { return failAttempt() }
        caching.context?.outcome = nil
        let current = update(entry, with: head, context)
        if caching.isRevalidation { return finishSilently() }
        serve(current, fields: current.stored.head.fields)
    }

    /// Updates a stored response with the fields of one to its validation or to a HEAD request, and returns it; it is
    /// removed if it may not be stored with them.
    func update(_ entry: CacheEntry, with head: ResponseHead, _ context: CacheContext) -> CacheEntry {
        var stored = entry.stored
        stored.update(with: head, requestTime: attempt?.timing.start)
        let fields = CacheFields(stored.head.fields)
        var request = context.request
        request.method = "GET"
        guard CacheStorageRule.mayStore(status: stored.head.status, fields: fields, request: request) else {
            context.cache.remove(context.key)
            return CacheEntry(stored, body: entry.body)
        }
        // The fields also say which requests the response is for.
        stored.selectingNames = CacheStorageRule.selectingNames(fields: fields, request: request)
        stored.variant = CacheKey.variant(stored.selectingNames, lines: context.lines)
        return context.ticket.update(entry, to: stored)
    }

    /// Delivers a stale response in place of an error that the server or the network has caused.
    func serveStale() {
        guard let entry = caching.context?.entry else { return failAttempt() }
        caching.context?.outcome = nil
        serve(entry, fields: entry.fieldsWithAge(at: Date()))
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

/// Completes a response of which the beginning is stored (RFC 9111, section 3.4).
extension Exchange {
    /// The stored part of a response that the server is asked to complete.
    struct Completion {
        var beginning: CacheCompletion.Beginning
        var head: ResponseHead
        var bytes: Data
    }

    /// Finds the beginning of a response that is not stored as a whole.
    func completion(of context: CacheContext) -> Completion? {
        guard context.request.method == "GET", !context.request.control.isNoStore,
            let entry = find(context, key: CacheCompletion.key(context.key)), case .data(let bytes) = entry.body,
            let beginning = CacheCompletion.beginning(entry.stored.head), Int64(bytes.count) == beginning.length.int64
        else { return nil }
        return Completion(beginning: beginning, head: entry.stored.head, bytes: bytes)
    }

    /// Delivers the whole with the response to a request for the rest, or has the request sent again for all of it.
    ///
    /// Returns whether the attempt goes on; `nil` for a response that needs no completion.
    func complete(_ completion: Completion, with head: ResponseHead, of attempt: NetworkAttempt) -> Bool? {
        // libcurl may answer a challenge itself, with another request for the rest.
        guard head.status != 401, head.status != 407 else { return nil }
        guard let context = caching.context, let url = request.url else { return nil }
        caching.context?.completion = nil
        caching.context?.conditions = []
        guard head.status == 206 || head.status == 416 else { return nil }
        // What was stored is either part of the whole now, or of another response.
        context.cache.remove(CacheCompletion.key(context.key))
        guard head.framingProblem == nil,
            let whole = CacheCompletion.whole(completion.beginning, stored: completion.head, answer: head)
        else {
            incoming.again = .withoutConditions
            return false
        }
        noteAcceptedCredentials()
        incoming.decoder = nil
        deliver(ReceivedResponse(whole, url: url, isDecoded: false))
        beginStoring(whole, isDecoded: false, isRedirect: false)
        attempt.rangeEnd = completion.beginning.total
        return completion.bytes.withUnsafeBytes { take($0) }
    }

    /// Stores the beginning of a response that was asked for by `Range`.
    func beginStoringPart(_ head: ResponseHead, _ context: CacheContext) {
        let fields = CacheFields(head.fields)
        guard let beginning = CacheCompletion.beginning(head),
            CacheStorageRule.mayStore(status: 200, fields: fields, request: context.request),
            let writer = CacheBodyWriter(context.cache.bodyLimits, expectedLength: beginning.length)
        else {
            caching.context = nil
            return
        }
        let stored = stored(head, fields, context, key: CacheCompletion.key(context.key))
        caching.context?.pending = CacheContext.Pending(stored: stored, writer: writer)
    }
}
