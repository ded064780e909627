/// Stores what is delivered (RFC 9111, section 3).
extension Transfer {
    /// Decides what the head of a final answer, or of a redirection, means for the cache.
    func beginStoring(_ head: ResponseHead, isDecoded: Bool, isRedirection: Bool) {
        guard isCacheUnasked || caching != nil else { return }
        let fields = CacheFields(head.fields)
        if isCacheUnasked { takeUpCaching(head, fields) }
        guard let exchange = caching else { return }
        guard exchange.credential == engineCredential else {
            // Another transfer's challenge was answered while this one waited, so that it is not known which credential
            // the request was sent with.
            caching = nil
            return
        }
        if exchange.selector != .whole { return beginStoringPart(head, exchange) }
        // What was asked about is answered.
        caching?.entry = nil
        caching?.conditions = []
        if exchange.request.method == "HEAD" { return updateByHead(head, exchange) }
        guard CacheStorageRule.mayStore(status: head.status, fields: fields, request: exchange.request) else {
            // The answer has taken the place of what was stored, and is not kept itself.
            let isError = CacheUseRule.isError(status: head.status)
            if exchange.entry != nil || ignoresCache, !isError { exchange.cache.remove(exchange.key) }
            return
        }
        let pending = CacheExchange.Pending(
            stored: stored(head, fields, exchange, key: exchange.key, isDecoded: isDecoded),
            writer: isRedirection
                ? nil : CacheBodyWriter(exchange.cache.bodyLimits, expectedLength: expectedTotal)
        )
        guard isRedirection || pending.writer != nil else { return exchange.cache.remove(exchange.key) }
        caching?.pending = pending
    }

    /// Returns what is stored of a response beside its body.
    func stored(
        _ head: ResponseHead,
        _ fields: CacheFields,
        _ exchange: CacheExchange,
        key: String,
        isDecoded: Bool = false
    ) -> StoredResponse {
        let names = CacheStorageRule.selectingNames(fields: fields, request: exchange.request)
        let now = Date()
        var head = head
        head.fields = CacheStorageRule.storedFields(head.fields)
        return StoredResponse(
            key: key,
            head: head,
            isDecoded: isDecoded,
            requestTime: sentAt ?? now,
            responseTime: now,
            selectingNames: names,
            variant: CacheKey.variant(names, lines: exchange.lines)
        )
    }

    /// Does what was put off when the cache was empty, unless the answer is not to be stored and displaces nothing.
    private func takeUpCaching(_ head: ResponseHead, _ fields: CacheFields) {
        isCacheUnasked = false
        guard let prepared, let cache = engine.settings.cache else { return }
        let request = CacheStorageRule.Request(method: prepared.method)
        if cache.isEmpty, !CacheStorageRule.mayStore(status: head.status, fields: fields, request: request) { return }
        caching = makeExchange(cachePolicy, credential: nil)
    }

    /// RFC 9111, section 4.3.5.
    private func updateByHead(_ head: ResponseHead, _ exchange: CacheExchange) {
        guard head.status == 200 else { return }
        guard let entry = exchange.entry ?? exchange.cache.find(exchange.key, lines: exchange.lines) else { return }
        guard CacheValidation.matchesHead(entry.stored.head, head) else { return exchange.cache.remove(exchange.key) }
        var stored = entry.stored
        stored.head.fields = CacheValidation.merge(stored.head.fields, with: head.fields)
        stored.responseTime = Date()
        stored.requestTime = sentAt ?? stored.responseTime
        _ = exchange.cache.update(entry, to: stored)
    }

    /// Keeps bytes that are being delivered; a body that cannot be stored is forgotten.
    func collectForCache(_ bytes: UnsafeRawBufferPointer) {
        guard let writer = caching?.pending?.writer, !writer.append(bytes), let caching else { return }
        self.caching?.pending = nil
        // What is stored is older than the response that is too large.
        caching.cache.remove(caching.key)
    }

    /// The response is whole: gives it to be stored.
    func finishStoring() -> CacheCandidate? {
        guard let caching, let pending = caching.pending, let writer = pending.writer, let response else { return nil }
        self.caching?.pending = nil
        return CacheCandidate(pending.stored, writer.finish(), response: response, cache: caching.cache)
    }

    /// A redirection is whole, and stored before it is followed.
    func storeRedirection() {
        guard let caching, let pending = caching.pending, pending.writer == nil, let held, held.failure == nil else {
            return
        }
        self.caching?.pending = nil
        guard held.body.count < Self.heldBodyLimit, decoder.map({ $0.isDrained && $0.mayEnd }) ?? true else { return }
        caching.cache.store(pending.stored, .data(Data(held.body)))
    }
}
