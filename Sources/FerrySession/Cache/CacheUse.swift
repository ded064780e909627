/// A call's use of the cache (RFC 9111): it looks for stored responses, and stores responses from the network.
struct CacheUse {
    /// The facts about an attempt that the cache needs.
    struct Attempt {
        let prepared: PreparedRequest
        let url: URL?
        let policy: URLRequest.CachePolicy
        /// The credential that libcurl authenticates the request with, as one text.
        var credential: String?
        /// Whether the request has no content.
        let isEmpty: Bool
        /// The time at which the attempt began.
        let start: Date?
    }

    let cache: HTTPCache?
    let decodesContent: Bool
    /// Whether the task reads and fills the cache.
    var isEnabled = false
    /// Whether the call only validates a stored response.
    var isRevalidation = false
    /// Whether stored responses are ignored, since one could not be used.
    var isBypassed = false
    /// The permission to store the response, for a request that has found the cache empty; ``context`` is then made
    /// only for a response that may be stored.
    private var unaskedTicket: CacheTicket?
    /// The current request, if the cache is used for it.
    var context: CacheContext?

    init(_ settings: CurlSessionSettings) {
        cache = settings.cache
        decodesContent = settings.options.decodesContent
    }

    /// Whether a response may be stored, or may concern a stored one.
    var isInUse: Bool { context != nil || unaskedTicket != nil }
    /// Whether the request asks about a stored response.
    var isConditional: Bool { context?.conditions.isEmpty == false }

    // MARK: - Before a request

    /// Looks for a stored response; `revalidates` indicates whether it is validated while it is delivered.
    mutating func lookUp(_ attempt: Attempt) -> (answer: CacheAnswer, revalidates: Bool) {
        context = nil
        unaskedTicket = nil
        let policy = attempt.policy
        if policy == .useProtocolCachePolicy, isEnabled, let ticket = cache?.beginIfEmpty(),
            !attempt.prepared.mentionsCaching, attempt.credential == nil
        {
            // There is nothing to find, and most responses may not be stored: see `beginLate`.
            unaskedTicket = ticket
            return (.network, false)
        }
        guard var context = makeContext(attempt, credential: attempt.credential) else {
            return (policy == .returnCacheDataDontLoad ? unavailable(attempt) : .network, false)
        }
        let isReload = isBypassed || policy.isReload
        let entry = isReload ? nil : find(context)
        let now = Date.current
        var decision = CacheUseRule.decide(
            policy: policy,
            request: context.request.control,
            stored: entry?.summary(at: now)
        )
        if context.selector != .whole { return (lookUpPart(attempt, context, entry, decision), false) }
        if isRevalidation, decision != .load { decision = .revalidate }
        if decision == .revalidate { context.validate(entry, forcing: policy == .reloadRevalidatingCacheData) }
        if decision == .load, entry == nil, !isReload { context.complete(beginning(for: context)) }
        self.context = context
        switch decision {
        case .load, .revalidate: return (.network, false)
        case .unavailable: return (unavailable(attempt), false)
        case .gatewayTimeout: return (gatewayTimeout, false)
        case .use, .useAndRevalidate:
            guard let entry else { return (.network, false) }
            return (.response(local(entry, entry.fieldsWithAge(at: now))), decision == .useAndRevalidate)
        }
    }

    /// Looks for the response to a request for a part, or to a request with a condition that the caller has set.
    ///
    /// If the stored response does not prove what the server would send, the server is asked as without a cache.
    private mutating func lookUpPart(
        _ attempt: Attempt,
        _ context: CacheContext,
        _ entry: CacheEntry?,
        _ decision: CacheUseRule.Decision
    ) -> CacheAnswer {
        // The response to a request for a part may be a part that is worth storing.
        if case .part = context.selector { self.context = context }
        switch decision {
        case .load, .revalidate, .useAndRevalidate: return .network
        case .unavailable: return unavailable(attempt)
        case .gatewayTimeout: return gatewayTimeout
        case .use: break
        }
        let answer = entry.flatMap { entry in
            context.selector.answer(
                status: entry.stored.head.status,
                fields: entry.fields,
                responseTime: entry.stored.responseTime,
                length: entry.body.length,
                isCoded: entry.stored.isDecoded || entry.stored.head.value("Content-Encoding") != nil
            )
        }
        guard let entry, let answer else {
            if attempt.policy == .returnCacheDataDontLoad { return unavailable(attempt) }
            let isOnlyIfCached = context.request.control.isOnlyIfCached && attempt.policy == .useProtocolCachePolicy
            return isOnlyIfCached ? gatewayTimeout : .network
        }
        self.context = context
        let fields = entry.fieldsWithAge(at: Date.current)
        switch answer {
        case .part(let part):
            var local = local(entry, CacheSelector.fields(fields, of: part, length: entry.body.length))
            (local.head.status, local.part) = (206, part)
            return .response(local)
        case .notModified:
            let kept = CacheSelector.notModifiedFields(fields)
            let head = ResponseHead(version: entry.stored.head.version, status: 304, fields: kept)
            return .response(LocalResponse(source: .cache, head: head))
        }
    }

    private func makeContext(_ attempt: Attempt, credential: String?) -> CacheContext? {
        let method = attempt.prepared.method
        guard isEnabled, let cache, attempt.isEmpty, method == "GET" || method == "HEAD" else { return nil }
        return CacheContext(attempt.prepared, cache: cache, policy: attempt.policy, credential: credential)
    }

    /// Returns the stored response that may be used for the request, if there is one.
    func find(_ context: CacheContext, key: String? = nil) -> CacheEntry? {
        guard let entry = context.cache.find(key ?? context.key, lines: context.lines) else { return nil }
        let (names, request) = (entry.stored.selectingNames, context.request)
        guard CacheStorageRule.mayUse(selectingNames: names, fields: entry.fields, request: request) else { return nil }
        // Sessions that decode bodies and sessions that do not may share a cache, but not coded responses.
        guard entry.body.length > 0, let coding = entry.stored.head.listValue("Content-Encoding") else { return entry }
        let isCoded = ContentCoding.parse(coding)?.isEmpty == false
        return isCoded && entry.stored.isDecoded != decodesContent ? nil : entry
    }

    private func unavailable(_ attempt: Attempt) -> CacheAnswer {
        let text = "The cache has no response, and the request's policy does not allow asking the server"
        return .failure(.ferry(.resourceUnavailable, url: attempt.url, text))
    }

    /// The response to a request with `only-if-cached` when the cache has none (RFC 9111, section 5.2.1.7).
    private var gatewayTimeout: CacheAnswer {
        .response(LocalResponse(source: .cache, head: ResponseHead(version: "HTTP/1.1", status: 504, fields: [])))
    }

    private func local(_ entry: CacheEntry, _ fields: [ResponseHead.Field]) -> LocalResponse {
        var head = entry.stored.head
        head.fields = fields
        return LocalResponse(source: .cache, head: head, isDecoded: entry.stored.isDecoded, body: entry.body)
    }

    func fields(for prepared: PreparedRequest, _ policy: URLRequest.CachePolicy) -> [RequestField] {
        let conditions = context?.conditions ?? []
        // With this policy, caches on the way must not respond either.
        guard policy == .reloadIgnoringLocalAndRemoteCacheData,
            !prepared.fields.contains(where: { $0.name.isEqualIgnoringCase("cache-control") })
        else { return conditions }
        return [RequestField("Cache-Control", "no-cache"), RequestField("Pragma", "no-cache")] + conditions
    }

    // MARK: - After a failure

    /// Stops using the cache for the current request.
    mutating func leave() { context = nil }

    /// Removes the stored response that is delivered, since it is damaged; returns whether the server may be asked.
    mutating func removeDamaged(_ policy: URLRequest.CachePolicy) -> Bool {
        let isOnlyCached = context?.request.control.isOnlyIfCached ?? false
        if let context { context.cache.remove(context.key) }
        context = nil
        isBypassed = true
        return policy != .returnCacheDataDontLoad && !isOnlyCached
    }

    /// Returns the stale response that replaces an error (RFC 5861, section 4), if that is allowed; without a code, the
    /// response that ``compare(_:method:url:credential:)`` has allowed.
    func staleResponse(insteadOf code: URLError.Code?) -> LocalResponse? {
        guard let context, let entry = context.entry else { return nil }
        if let code, isRevalidation || !CacheUseRule.isError(code: code) || !context.mayUseOnError(entry) { return nil }
        return local(entry, entry.fieldsWithAge(at: Date.current))
    }

    /// Returns the stored response with the fields of the 304 that has validated it.
    mutating func validated(at start: Date?) -> LocalResponse? {
        guard let context, let entry = context.entry, let head = context.validation else { return nil }
        self.context?.validation = nil
        let current = update(entry, with: head, context, at: start)
        return local(current, current.stored.head.fields)
    }
}

/// Stores responses as they are delivered (RFC 9111, section 3).
extension CacheUse {
    /// Decides whether a response or a redirect is stored, and what it means for the stored response.
    mutating func beginStoring(
        _ head: ResponseHead,
        isDecoded: Bool,
        isRedirect: Bool,
        expectedLength: ByteCount?,
        _ attempt: Attempt
    ) {
        let fields = CacheFields(head.fields)
        if let ticket = unaskedTicket { beginLate(head, fields, ticket, attempt) }
        guard let context else { return }
        guard context.credential == attempt.credential else {
            // The challenge of another call was answered while this one waited, so it is not known which credential
            // the request was sent with.
            return leave()
        }
        if context.selector != .whole { return beginStoringPart(head, context, at: attempt.start) }
        // The response replaces the one that was validated.
        self.context?.entry = nil
        self.context?.conditions = []
        if context.request.method == "HEAD" { return updateByHead(head, context, at: attempt.start) }
        guard CacheStorageRule.mayStore(status: head.status, fields: fields, request: context.request) else {
            // The response replaces the stored one, and is not stored itself.
            let replaces = context.entry != nil || isBypassed || attempt.policy.isReload
            if replaces, !CacheUseRule.isError(status: head.status) { context.cache.remove(context.key) }
            return
        }
        let writer = isRedirect ? nil : CacheBodyWriter(context.cache.bodyLimits, expectedLength: expectedLength)
        guard isRedirect || writer != nil else { return context.cache.remove(context.key) }
        let stored = context.stored(head, fields, key: context.key, isDecoded: isDecoded, at: attempt.start)
        self.context?.pending = CacheContext.Pending(stored: stored, writer: writer)
    }

    /// Makes the context for a request that was sent while the cache was empty, if the response may be stored or may
    /// replace a stored one.
    private mutating func beginLate(
        _ head: ResponseHead,
        _ fields: CacheFields,
        _ ticket: CacheTicket,
        _ attempt: Attempt
    ) {
        unaskedTicket = nil
        guard let cache else { return }
        let request = CacheStorageRule.Request(method: attempt.prepared.method)
        let mayStore = CacheStorageRule.mayStore(status: head.status, fields: fields, request: request)
        if !mayStore, cache.beginIfEmpty() != nil { return }
        context = makeContext(attempt, credential: nil)
        context?.ticket = ticket
    }

    /// Stores the beginning of a response that was asked for by `Range`.
    private mutating func beginStoringPart(_ head: ResponseHead, _ context: CacheContext, at start: Date?) {
        let fields = CacheFields(head.fields)
        guard let beginning = CacheCompletion.beginning(head),
            CacheStorageRule.mayStore(status: 200, fields: fields, request: context.request),
            let writer = CacheBodyWriter(context.cache.bodyLimits, expectedLength: beginning.length)
        else { return leave() }
        let stored = context.stored(head, fields, key: CacheCompletion.key(context.key), at: start)
        self.context?.pending = CacheContext.Pending(stored: stored, writer: writer)
    }

    /// Updates or removes the stored response with the response to a HEAD request (RFC 9111, section 4.3.5).
    private func updateByHead(_ head: ResponseHead, _ context: CacheContext, at start: Date?) {
        guard head.status == 200, !context.request.control.isNoStore, let entry = context.entry ?? find(context) else {
            return
        }
        let length = entry.stored.isDecoded ? nil : entry.body.length
        guard CacheValidation.matchesHead(entry.stored.head, head, length: length) else {
            return context.cache.remove(context.key)
        }
        _ = update(entry, with: head, context, at: start)
    }

    /// Keeps bytes that are being delivered; a body that cannot be stored is dropped.
    mutating func collect(_ bytes: UnsafeRawBufferPointer) {
        guard let context, let writer = context.pending?.writer, !writer.append(bytes) else { return }
        self.context?.pending = nil
        // The new response is too large to be stored, and the stored one is out of date.
        context.cache.remove(context.key)
    }

    /// Forgets what was collected of a response.
    mutating func dropPending() { if context != nil { context?.pending = nil } }

    /// Returns the complete response for the cache, if it may be stored.
    mutating func finish(_ response: ReceivedResponse) -> CacheCandidate? {
        guard let context, let pending = context.pending, let writer = pending.writer else { return nil }
        self.context?.pending = nil
        let (request, lines) = (context.request, context.lines)
        return CacheCandidate(pending.stored, writer.finish(), response: response, context.ticket) { head in
            let fields = CacheFields(head.fields)
            let mayStore = CacheStorageRule.mayStore(status: head.status, fields: fields, request: request)
            return mayStore ? CacheContext.selection(fields, request, lines) : nil
        }
    }

    /// Stores a complete redirect before it is followed.
    mutating func storeRedirect(body: [UInt8]) {
        guard let context, let pending = context.pending, pending.writer == nil else { return }
        self.context?.pending = nil
        if body.count < HeldResponse.bodyLimit { context.ticket.store(pending.stored, .data(Data(body))) }
    }
}

/// The effects of a response on stored responses: it validates, invalidates or completes them (RFC 9111, sections 3.4,
/// 4.3 and 4.4).
extension CacheUse {
    /// Returns what the head of a response means for the stored response; `nil` if it is delivered like any other.
    mutating func compare(
        _ head: ResponseHead,
        method: String,
        url: URL?,
        credential: () -> String?
    ) -> CacheVerdict? {
        if let cache, let url {
            // This also applies to requests of tasks that do not use the cache.
            for url in CacheInvalidation.invalidated(by: head, to: url, method: method) { cache.remove(for: url) }
        }
        guard let context else { return nil }
        if let beginning = context.completion { return complete(beginning, with: head, context) }
        guard let entry = context.entry else { return nil }
        if head.status == 304, !context.conditions.isEmpty {
            guard CacheValidation.selects(entry.fields, by: CacheFields(head.fields)) else { return .withoutConditions }
            // If the credential has changed since the lookup, the fields may be for another user.
            guard credential() == context.credential else {
                leave()
                return .withoutConditions
            }
            self.context?.validation = head
            return .validated
        }
        let isReplaced = CacheUseRule.isError(status: head.status) && !isRevalidation && context.mayUseOnError(entry)
        return isReplaced ? .servesStale : nil
    }

    /// Updates a stored response with the fields of a 304 or of a response to HEAD, and returns it; the stored response
    /// is removed if it may not be stored with these fields.
    private func update(
        _ entry: CacheEntry,
        with head: ResponseHead,
        _ context: CacheContext,
        at start: Date?
    ) -> CacheEntry {
        var stored = entry.stored
        stored.update(with: head, requestTime: start)
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

    /// Finds the beginning of a response that is not stored as a whole.
    private func beginning(for context: CacheContext) -> CacheContext.Completion? {
        guard context.request.method == "GET", !context.request.control.isNoStore,
            let entry = find(context, key: CacheCompletion.key(context.key)), case .data(let bytes) = entry.body,
            let beginning = CacheCompletion.beginning(entry.stored.head), Int64(bytes.count) == beginning.length.int64
        else { return nil }
        return CacheContext.Completion(beginning: beginning, head: entry.stored.head, bytes: bytes)
    }

    /// Completes the stored beginning with the response to a request for the rest, or requests the whole; returns `nil`
    /// for a response that needs no completion.
    private mutating func complete(
        _ completion: CacheContext.Completion,
        with head: ResponseHead,
        _ context: CacheContext
    ) -> CacheVerdict? {
        // libcurl may answer a challenge itself, with another request for the rest.
        guard head.status != 401, head.status != 407 else { return nil }
        self.context?.completion = nil
        self.context?.conditions = []
        guard head.status == 206 || head.status == 416 else { return nil }
        // The stored beginning is now part of the whole response, or belongs to another one.
        context.cache.remove(CacheCompletion.key(context.key))
        guard head.framingProblem == nil,
            let whole = CacheCompletion.whole(completion.beginning, stored: completion.head, answer: head)
        else { return .withoutConditions }
        return .completes(head: whole, beginning: completion.bytes, end: completion.beginning.total)
    }
}

extension URLRequest.CachePolicy {
    /// Whether stored responses are replaced without being used.
    var isReload: Bool { self == .reloadIgnoringLocalCacheData || self == .reloadIgnoringLocalAndRemoteCacheData }
}
