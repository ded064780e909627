/// Completes a response of which the beginning is stored (RFC 9111, section 3.4).
extension Transfer {
    /// The stored part of a response that the server is asked to complete.
    struct Completion {
        var beginning: CacheCompletion.Beginning
        var head: ResponseHead
        var bytes: Data
    }

    /// Finds the beginning of a response that is not stored as a whole.
    func completion(of exchange: CacheExchange) -> Completion? {
        guard exchange.request.method == "GET", !exchange.request.control.isNoStore,
            let entry = find(exchange, key: CacheCompletion.key(exchange.key)), case .data(let bytes) = entry.body,
            let beginning = CacheCompletion.beginning(entry.stored.head), Int64(bytes.count) == beginning.length.int64
        else { return nil }
        return Completion(beginning: beginning, head: entry.stored.head, bytes: bytes)
    }

    /// Takes an answer to a request for the rest: delivers the whole, or has the request go again for all of it; `nil` for
    /// an answer that is one by itself.
    func complete(_ completion: Completion, with head: ResponseHead) -> Bool? {
        guard let caching, let url = request.url else { return nil }
        self.caching?.completion = nil
        self.caching?.conditions = []
        guard head.status == 206 || head.status == 416 else { return nil }
        // What was stored is either part of the whole now, or of something else.
        caching.cache.remove(CacheCompletion.key(caching.key))
        guard head.framingProblem == nil,
            let whole = CacheCompletion.whole(completion.beginning, stored: completion.head, answer: head)
        else {
            self.caching?.outcome = .asksAgain
            return false
        }
        noteAcceptedCredentials()
        decoder = nil
        deliver(ReceivedResponse(whole, url: url, isDecoded: false))
        beginStoring(whole, isDecoded: false, isRedirection: false)
        attempt.rangeEnd = completion.beginning.total
        return completion.bytes.withUnsafeBytes { take($0) }
    }

    /// Stores the beginning of a response that was asked for by `Range`.
    func beginStoringPart(_ head: ResponseHead, _ exchange: CacheExchange) {
        let fields = CacheFields(head.fields)
        guard let beginning = CacheCompletion.beginning(head),
            CacheStorageRule.mayStore(status: 200, fields: fields, request: exchange.request),
            let writer = CacheBodyWriter(exchange.cache.bodyLimits, expectedLength: beginning.length)
        else {
            caching = nil
            return
        }
        let key = CacheCompletion.key(exchange.key)
        caching?.pending = CacheExchange.Pending(stored: stored(head, fields, exchange, key: key), writer: writer)
    }
}
