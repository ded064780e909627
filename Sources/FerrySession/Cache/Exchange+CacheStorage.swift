/// Stores responses as they are delivered (RFC 9111, section 3).
extension Exchange {
    /// Decides whether a response or a redirect is stored, and what it means for the stored response.
    func beginStoring(_ head: ResponseHead, isDecoded: Bool, isRedirect: Bool) {
        guard caching.unaskedTicket != nil || caching.context != nil else { return }
        let fields = CacheFields(head.fields)
        if let ticket = caching.unaskedTicket { takeUpCaching(head, fields, ticket) }
        guard let context = caching.context else { return }
        guard context.credential == engineCredential else {
            // The challenge of another exchange was answered while this one waited, so it is not known which credential
            // the request was sent with.
            caching.context = nil
            return
        }
        if context.selector != .whole { return beginStoringPart(head, context) }
        // The response replaces the one that was validated.
        caching.context?.entry = nil
        caching.context?.conditions = []
        if context.request.method == "HEAD" { return updateByHead(head, context) }
        guard CacheStorageRule.mayStore(status: head.status, fields: fields, request: context.request) else {
            // The response replaces the stored one, and is not stored itself.
            let isError = CacheUseRule.isError(status: head.status)
            let replaces = context.entry != nil || caching.isBypassed || cachePolicy.isReload
            if replaces, !isError { context.cache.remove(context.key) }
            return
        }
        let pending = CacheContext.Pending(
            stored: stored(head, fields, context, key: context.key, isDecoded: isDecoded),
            writer: isRedirect
                ? nil : CacheBodyWriter(context.cache.bodyLimits, expectedLength: continuation.expectedTotal)
        )
        guard isRedirect || pending.writer != nil else { return context.cache.remove(context.key) }
        caching.context?.pending = pending
    }

    /// Returns the stored form of a response, without its body.
    func stored(
        _ head: ResponseHead,
        _ fields: CacheFields,
        _ context: CacheContext,
        key: String,
        isDecoded: Bool = false
    ) -> StoredResponse {
        let names = CacheStorageRule.selectingNames(fields: fields, request: context.request)
        let now = Date()
        var head = head
        head.fields = CacheStorageRule.storedFields(head.fields)
        return StoredResponse(
            key: key,
            head: head,
            isDecoded: isDecoded,
            requestTime: attempt?.timing.start ?? now,
            responseTime: now,
            selectingNames: names,
            variant: CacheKey.variant(names, lines: context.lines)
        )
    }

    /// Makes up for what was not done while the cache was empty, unless the response is not stored and replaces
    /// nothing.
    private func takeUpCaching(_ head: ResponseHead, _ fields: CacheFields, _ ticket: CacheTicket) {
        caching.unaskedTicket = nil
        guard let prepared = attempt?.prepared, let cache = settings.cache else { return }
        let request = CacheStorageRule.Request(method: prepared.method)
        let mayStore = CacheStorageRule.mayStore(status: head.status, fields: fields, request: request)
        if !mayStore, cache.beginIfEmpty() != nil { return }
        caching.context = makeContext(cachePolicy, credential: nil)
        caching.context?.ticket = ticket
    }

    /// Updates or removes the stored response with the response to a HEAD request (RFC 9111, section 4.3.5).
    private func updateByHead(_ head: ResponseHead, _ context: CacheContext) {
        guard head.status == 200, let entry = context.entry ?? find(context) else { return }
        let length = entry.stored.isDecoded ? nil : entry.body.length
        guard CacheValidation.matchesHead(entry.stored.head, head, length: length) else {
            return context.cache.remove(context.key)
        }
        _ = update(entry, with: head, context)
    }

    /// Keeps bytes that are being delivered; a body that cannot be stored is dropped.
    func collectForCache(_ bytes: UnsafeRawBufferPointer) {
        guard let context = caching.context, let writer = context.pending?.writer, !writer.append(bytes) else { return }
        caching.context?.pending = nil
        // The stored response is older than the one that is too large.
        context.cache.remove(context.key)
    }

    /// Returns the complete response for the cache, if it may be stored.
    func finishStoring() -> CacheCandidate? {
        guard let context = caching.context, let pending = context.pending, let writer = pending.writer, let response
        else { return nil }
        caching.context?.pending = nil
        return CacheCandidate(pending.stored, writer.finish(), response: response, context.ticket)
    }

    /// Stores a complete redirect before it is followed.
    func storeRedirect() {
        guard let context = caching.context, let pending = context.pending, pending.writer == nil,
            let question = incoming.question, question.failure == nil
        else { return }
        caching.context?.pending = nil
        guard question.body.count < PendingQuestion.bodyLimit,
            incoming.decoder.map({ $0.isDrained && $0.mayEnd }) ?? true
        else { return }
        context.ticket.store(pending.stored, .data(Data(question.body)))
    }
}
