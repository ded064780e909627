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

    /// Uses the response to a request for the rest: delivers the whole, or has the request sent again for all of it.
    ///
    /// Returns whether the attempt goes on; `nil` for a response that needs no completion.
    func complete(_ completion: Completion, with head: ResponseHead, of attempt: NetworkAttempt) -> Bool? {
        guard let context = caching.context, let url = request.url else { return nil }
        caching.context?.completion = nil
        caching.context?.conditions = []
        guard head.status == 206 || head.status == 416 else { return nil }
        // What was stored is either part of the whole now, or of another response.
        context.cache.remove(CacheCompletion.key(context.key))
        guard head.framingProblem == nil,
            let whole = CacheCompletion.whole(completion.beginning, stored: completion.head, answer: head)
        else {
            attempt.again = .withoutConditions
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
        let key = CacheCompletion.key(context.key)
        let pending = CacheContext.Pending(stored: stored(head, fields, context, key: key), writer: writer)
        caching.context?.pending = pending
    }
}
