/// Responses from the cache, before and instead of the network (RFC 9111, section 4).
extension Exchange {
    /// What the cache has to do with an exchange.
    struct CacheUse {
        /// Whether the task reads and fills the cache.
        var isEnabled = false
        /// Whether the exchange only validates a stored response.
        var isRevalidation = false
        /// Whether stored responses are not used, since one was found to be useless.
        var isBypassed = false
        /// The permission to store the response if the cache was empty, so that the rest of the work waits for a
        /// response that may be stored.
        var unaskedTicket: CacheTicket?
        /// What the cache has to do with the current request, if anything.
        var context: CacheContext?
        /// The body that is delivered from the cache.
        var body: CacheBodyReader?
        /// The transfer of this exchange that others with the same request wait for.
        var shared: SharedTransfer?
        /// Whether the exchange waits for no other, since the response has turned out to be for one exchange alone.
        var isUnshareable = false
    }

    /// How much of a stored body one turn delivers before the engine looks at its other transfers.
    private static let deliveredPerTurn = 4_194_304

    var cachePolicy: URLRequest.CachePolicy {
        request.cachePolicy == .useProtocolCachePolicy ? settings.cachePolicy : request.cachePolicy
    }

    /// Returns the header fields that keep caches on the way from responding, where the policy says so.
    func reloadFields(_ prepared: PreparedRequest) -> [RequestField] {
        guard cachePolicy == .reloadIgnoringLocalAndRemoteCacheData else { return [] }
        let isSet = prepared.fields.contains { $0.name.isEqualIgnoringCase("cache-control") }
        return isSet ? [] : [RequestField("Cache-Control", "no-cache"), RequestField("Pragma", "no-cache")]
    }

    /// Looks into the cache before a request is sent, and returns whether that completes the attempt.
    func consultCache() -> Bool {
        // The rest of a response belongs to the exchange that has begun.
        guard continuation.offset == nil, let prepared = attempt?.prepared else { return false }
        caching.context = nil
        caching.body = nil
        caching.unaskedTicket = nil
        let policy = cachePolicy
        if policy == .useProtocolCachePolicy, caching.isEnabled,
            let ticket = settings.cache?.beginIfEmpty(), !prepared.mentionsCaching,
            engineCredential == nil
        {
            // There is nothing to find, and most responses are not stored: the work waits for one that may be.
            caching.unaskedTicket = ticket
            return false
        }
        guard var context = makeContext(policy, credential: engineCredential) else {
            return policy == .returnCacheDataDontLoad ? failUnavailable() : false
        }
        let isReload = caching.isBypassed || policy.isReload
        let entry = isReload ? nil : find(context)
        let now = Date()
        let stored = entry?.summary(at: now)
        var decision = CacheUseRule.decide(policy: policy, request: context.request.control, stored: stored)
        if context.selector != .whole { return consultCache(context, entry, decision) }
        if caching.isRevalidation, decision != .load { decision = .revalidate }
        if decision == .revalidate {
            context.entry = entry
            context.conditions = entry.map { CacheValidation.conditions($0.fields).map(RequestField.init) } ?? []
            if policy == .reloadRevalidatingCacheData, !context.conditions.isEmpty,
                CacheKey.values(of: "cache-control", in: context.lines).isEmpty
            {
                // The origin validates, and not a cache on the way.
                context.conditions.append(RequestField("Cache-Control", "max-age=0"))
            }
        }
        if decision == .load, entry == nil, !isReload, let completion = completion(of: context) {
            context.completion = completion
            context.conditions = completion.beginning.conditions.map(RequestField.init)
        }
        caching.context = context
        switch decision {
        case .load, .revalidate: return false
        case .unavailable: return failUnavailable()
        case .gatewayTimeout: return deliverGatewayTimeout()
        case .use, .useAndRevalidate:
            guard let entry else { return false }
            if decision == .useAndRevalidate {
                let hasLeftOrigin = redirects.hasLeftOrigin
                group.revalidate(sentRequest, key: context.key, hasLeftOrigin: hasLeftOrigin, like: transfer)
            }
            serve(entry, fields: entry.fieldsWithAge(at: now))
            return true
        }
    }

    /// Looks into the cache for a request for a part, or one with a condition of the caller's own.
    ///
    /// Where the stored response does not prove what the server would send, the server is asked as if there was no
    /// cache.
    private func consultCache(_ context: CacheContext, _ entry: CacheEntry?, _ decision: CacheUseRule.Decision) -> Bool
    {
        // The response to a request for a part may be a part that is worth storing.
        if case .part = context.selector { caching.context = context }
        switch decision {
        case .load, .revalidate, .useAndRevalidate: return false
        case .unavailable: return failUnavailable()
        case .gatewayTimeout: return deliverGatewayTimeout()
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
            if cachePolicy == .returnCacheDataDontLoad { return failUnavailable() }
            guard context.request.control.isOnlyIfCached, cachePolicy == .useProtocolCachePolicy else { return false }
            return deliverGatewayTimeout()
        }
        caching.context = context
        let fields = entry.fieldsWithAge(at: Date())
        switch answer {
        case .part(let part):
            serve(entry, fields: CacheSelector.fields(fields, of: part, length: entry.body.length), part: part)
        case .notModified:
            let kept = CacheSelector.notModifiedFields(fields)
            deliverFromCache(ResponseHead(version: entry.stored.head.version, status: 304, fields: kept))
        }
        return true
    }

    func makeContext(_ policy: URLRequest.CachePolicy, credential: String?) -> CacheContext? {
        guard caching.isEnabled, let cache = settings.cache, let prepared = attempt?.prepared, body.isNone,
            prepared.method == "GET" || prepared.method == "HEAD"
        else { return nil }
        return CacheContext(prepared, cache: cache, policy: policy, credential: credential)
    }

    /// What libcurl is given to authenticate the request at the server, as one text.
    var engineCredential: String? {
        if attempt?.prepared.hasUserInfo == true, let url = request.url, let user = url.user(percentEncoded: true) {
            return "basic " + user + ":" + (url.password(percentEncoded: true) ?? "")
        }
        let hasAny = authentication.server.credential != nil || !group.acceptedCredentials.isEmpty
        guard hasAny, let credential = credential(isProxy: false) else { return nil }
        return "\(credential.scheme) \(credential.user):\(credential.password)"
    }

    /// Returns the stored response that may be used for the request, if there is one.
    func find(_ context: CacheContext, key: String? = nil) -> CacheEntry? {
        guard let entry = context.cache.find(key ?? context.key, lines: context.lines) else { return nil }
        let (names, request) = (entry.stored.selectingNames, context.request)
        guard CacheStorageRule.mayUse(selectingNames: names, fields: entry.fields, request: request) else { return nil }
        // Sessions that decode and sessions that do not may share a cache, but not such responses.
        guard let coding = entry.stored.head.listValue("Content-Encoding") else { return entry }
        let isCoded = ContentCoding.parse(coding)?.isEmpty == false
        return isCoded && entry.stored.isDecoded != settings.decodesContent ? nil : entry
    }

    private func failUnavailable() -> Bool {
        let text = "The cache has no response, and the request's policy does not allow asking the server"
        fail(.ferry(.resourceUnavailable, url: request.url, text))
        return true
    }

    /// Delivers the response to a request with `only-if-cached` when the cache has none (RFC 9111, section 5.2.1.7).
    private func deliverGatewayTimeout() -> Bool {
        deliverFromCache(ResponseHead(version: "HTTP/1.1", status: 504, fields: []))
        return true
    }

    /// Delivers a response without a body.
    private func deliverFromCache(_ head: ResponseHead) {
        guard let url = request.url else { return failAttempt() }
        beginServing(.cached(request, status: head.status))
        deliver(ReceivedResponse(head, url: url, isDecoded: false))
        incoming.hasEnded = true
        finishIfDrained()
    }

    // MARK: - Delivering

    /// Begins to deliver a response that does not come from the network.
    func beginServing(_ transaction: TransferMetrics.Transaction) {
        endSharing(.unshareable)
        incoming = IncomingResponse()
        caching.body = nil
        removeLocalPauses()
        reportRequest(bodyLength: .zero)
        client?.exchange(didCollect: transaction, redirectCount: redirects.count)
    }

    /// Delivers a stored response or a part of it with these fields, as one from the network would be.
    func serve(_ entry: CacheEntry, fields: [ResponseHead.Field], part: Range<Int>? = nil) {
        var head = entry.stored.head
        head.fields = fields
        if part != nil { head.status = 206 }
        guard let url = request.url else { return failAttempt() }
        let received = ReceivedResponse(head, url: url, isDecoded: entry.stored.isDecoded)
        beginServing(.cached(request, status: head.status))
        caching.context?.pending = nil
        if let question = redirect(for: received, head: head) {
            if case .data(let data) = entry.body { return serve(question, body: data) }
            return serve(question)
        }
        deliver(received, body: entry.body, part: part)
    }

    /// Asks the server instead of delivering the damaged rest of a stored body.
    ///
    /// What the client has is intact. It is discarded if the user has not received it; otherwise only the rest is
    /// requested, if the response has a validator and the request may be sent.
    private func recoverFromDamage() {
        let isOnlyCached = caching.context?.request.control.isOnlyIfCached ?? false
        if let context = caching.context { context.cache.remove(context.key) }
        caching.context = nil
        caching.body = nil
        caching.isBypassed = true
        if discardBody() { return sendAgain() }
        let mayAsk = cachePolicy != .returnCacheDataDontLoad && !isOnlyCached
        continuation.useValidator(of: response)
        guard mayAsk, validator != nil else {
            return fail(.ferry(.cannotDecodeRawData, url: request.url, "The stored response is damaged"))
        }
        continuation.offset = bodyReceived
        sendAgain()
    }

    /// Delivers a response whose body is here; the body is left out after a HEAD request.
    func deliver(_ received: ReceivedResponse, body: CacheBody, part: Range<Int>? = nil) {
        deliver(received)
        // There is no connection that could be lost, so the rest is not requested unless the body is damaged.
        continuation.useValidator(of: nil)
        caching.body = method == "HEAD" ? CacheBodyReader(.data(Data())) : CacheBodyReader(body, part: part)
        feedFromCache()
    }

    /// Asks what becomes of a response that does not come from the network.
    func serve(_ question: PendingQuestion, body: Data = Data()) {
        if case .redirect = question.kind, redirects.count >= settings.maximumRedirects {
            return fail(.ferryTooManyRedirects(url: request.url))
        }
        incoming.question = question
        incoming.question?.body = Array(body)
        incoming.hasEnded = true
        askQuestion()
    }

    /// Delivers as much of a stored body as the client has room for.
    func feedFromCache() {
        guard let body = caching.body, incoming.question == nil else { return }
        var rest = Self.deliveredPerTurn
        while client != nil, caching.body != nil, pauses.isDisjoint(with: [.suspended, .clientIsFull]) {
            body.next(scratch: engine.scratch) { piece in
                switch piece {
                case .bytes(let bytes):
                    rest -= bytes.count
                    if !take(bytes) { failAttempt() }
                case .end:
                    caching.body = nil
                    incoming.hasEnded = true
                    finishIfDrained()
                case .damaged: recoverFromDamage()
                }
            }
            guard rest <= 0, caching.body != nil, !pauses.contains(.clientIsFull) else { continue }
            setClientFull(true)
            perform(.readMore)
        }
    }
}

extension URLRequest.CachePolicy {
    /// Whether stored responses are not used, but replaced.
    var isReload: Bool {
        self == .reloadIgnoringLocalCacheData || self == .reloadIgnoringLocalAndRemoteCacheData
    }
}
