/// Answers from the cache, before and instead of the network (RFC 9111, section 4).
extension Transfer {
    /// How much of a stored body one turn delivers before the engine looks at its other transfers.
    private static let fedPerTurn = 4_194_304

    var cachePolicy: URLRequest.CachePolicy {
        request.cachePolicy == .useProtocolCachePolicy ? engine.settings.cachePolicy : request.cachePolicy
    }

    /// The policy that no cache on the way may answer either, as fields of the request.
    var reloadFields: [String] {
        guard cachePolicy == .reloadIgnoringLocalAndRemoteCacheData, let lines = prepared?.headers else { return [] }
        let isSet = !CacheKey.values(of: "cache-control", in: lines).isEmpty
        return isSet ? [] : ["Cache-Control: no-cache", "Pragma: no-cache"]
    }

    /// Asks the cache before a request goes out, and answers whether that was all there is to do.
    func consultCache() -> Bool {
        // The rest of a response belongs to the exchange that has begun.
        guard continuesAt == nil else { return false }
        (caching, isCacheUnasked) = (nil, false)
        let policy = cachePolicy
        if policy == .useProtocolCachePolicy, usesCache, engine.settings.cache?.isEmpty == true,
            prepared?.mentionsCaching == false, engineCredential == nil
        {
            // There is nothing to find, and most answers are not stored: what that takes waits for one that may be.
            isCacheUnasked = true
            return false
        }
        guard var exchange = makeExchange(policy, credential: engineCredential) else {
            return policy == .returnCacheDataDontLoad ? failUnavailable() : false
        }
        let isReload =
            ignoresCache || policy == .reloadIgnoringLocalCacheData || policy == .reloadIgnoringLocalAndRemoteCacheData
        let entry = isReload ? nil : find(exchange)
        let now = Date()
        var decision = CacheUseRule.decide(
            policy: policy,
            request: exchange.request.control,
            stored: entry?.summary(at: now)
        )
        if exchange.selector != .whole { return consultCache(exchange, entry, decision) }
        if isRevalidation, decision != .load { decision = .revalidate }
        if decision == .revalidate {
            exchange.entry = entry
            exchange.conditions = entry.map { CacheValidation.conditions($0.fields) }?.map { "\($0): \($1)" } ?? []
            if policy == .reloadRevalidatingCacheData, !exchange.conditions.isEmpty,
                CacheKey.values(of: "cache-control", in: exchange.lines).isEmpty
            {
                // The origin is to say so itself, not a cache on the way.
                exchange.conditions.append("Cache-Control: max-age=0")
            }
        }
        if decision == .load, entry == nil, !isReload, let completion = completion(of: exchange) {
            exchange.completion = completion
            exchange.conditions = completion.beginning.conditions
        }
        caching = exchange
        switch decision {
        case .load, .revalidate: return false
        case .unavailable: return failUnavailable()
        case .gatewayTimeout: deliverGatewayTimeout()
        case .use, .useAndRevalidate:
            guard let entry else { return false }
            if decision == .useAndRevalidate { engine.revalidate(request, key: exchange.key, limits: clock.limits) }
            let age = entry.freshness(at: now).age
            serve(entry, fields: CacheValidation.withAge(entry.stored.head.fields, age))
        }
        return true
    }

    /// Answers a request for a part, or one with a condition of the caller's own; where the stored response does not prove
    /// the answer, the server is asked as if there was no cache.
    private func consultCache(
        _ exchange: CacheExchange,
        _ entry: CacheEntry?,
        _ decision: CacheUseRule.Decision
    ) -> Bool {
        // The answer to a request for a part may be a part that is worth storing.
        if case .part = exchange.selector { caching = exchange }
        switch decision {
        case .load, .revalidate, .useAndRevalidate: return false
        case .unavailable: return failUnavailable()
        case .gatewayTimeout:
            deliverGatewayTimeout()
            return true
        case .use: break
        }
        let answer = entry.flatMap { entry in
            exchange.selector.answer(
                status: entry.stored.head.status,
                fields: entry.fields,
                responseTime: entry.stored.responseTime,
                length: entry.body.length,
                isCoded: entry.stored.isDecoded || entry.stored.head.value("Content-Encoding") != nil
            )
        }
        guard let entry, let answer else {
            if cachePolicy == .returnCacheDataDontLoad { return failUnavailable() }
            guard exchange.request.control.isOnlyIfCached, cachePolicy == .useProtocolCachePolicy else { return false }
            deliverGatewayTimeout()
            return true
        }
        caching = exchange
        let age = entry.freshness(at: Date()).age
        let fields = CacheValidation.withAge(entry.stored.head.fields, age)
        switch answer {
        case .part(let part):
            let fields = CacheSelector.fields(fields, of: part, length: entry.body.length)
            serve(entry, fields: fields, part: part)
        case .notModified:
            let version = entry.stored.head.version
            deliverFromCache(
                ResponseHead(version: version, status: 304, fields: CacheSelector.notModifiedFields(fields))
            )
        }
        return true
    }

    func makeExchange(_ policy: URLRequest.CachePolicy, credential: String?) -> CacheExchange? {
        guard usesCache, let cache = engine.settings.cache, let prepared, body.isNone else { return nil }
        guard prepared.method == "GET" || prepared.method == "HEAD" else { return nil }
        return CacheExchange(prepared, cache: cache, policy: policy, credential: credential)
    }

    /// What libcurl is given to authenticate the request at the server, as one text.
    var engineCredential: String? {
        if prepared?.hasUserInfo == true, let url = request.url,
            let user = url.user(percentEncoded: true)
        {
            return "basic " + user + ":" + (url.password(percentEncoded: true) ?? "")
        }
        let hasAny = credentials[false] != nil || !engine.acceptedCredentials.isEmpty
        guard hasAny, let credential = credential(isProxy: false) else { return nil }
        return "\(credential.scheme) \(credential.user):\(credential.password)"
    }

    func find(_ exchange: CacheExchange, key: String? = nil) -> CacheEntry? {
        guard let entry = exchange.cache.find(key ?? exchange.key, lines: exchange.lines) else { return nil }
        let (names, request) = (entry.stored.selectingNames, exchange.request)
        guard CacheStorageRule.mayUse(selectingNames: names, fields: entry.fields, request: request) else { return nil }
        // Sessions that decode and sessions that do not may share a cache, but not such responses.
        guard let coding = entry.stored.head.value("Content-Encoding") else { return entry }
        let isCoded = ContentCoding.parse(coding)?.isEmpty == false
        return isCoded && entry.stored.isDecoded != engine.settings.decodesContent ? nil : entry
    }

    private func failUnavailable() -> Bool {
        fail(
            .ferry(
                .resourceUnavailable,
                url: request.url,
                "The cache has no response, and the request's policy forbids to ask the server"
            )
        )
        return true
    }

    /// Delivers what a request with `only-if-cached` gets when the cache has no response for it (RFC 9111, section
    /// 5.2.1.7).
    private func deliverGatewayTimeout() {
        deliverFromCache(ResponseHead(version: "HTTP/1.1", status: 504, fields: []))
    }

    /// Delivers a response without a body.
    private func deliverFromCache(_ head: ResponseHead) {
        guard let url = request.url else { return failAttempt() }
        beginServing(status: head.status)
        deliver(ReceivedResponse(head, url: url, isDecoded: false))
        isEnded = true
        finishIfDrained()
    }

    // MARK: - Delivering

    private func beginServing(status: Int) {
        (decoder, attemptStart, cachedBody) = (nil, nil, nil)
        isClientFull = false
        tellRequest(bodyLength: .zero)
        client?.transfer(didCollect: .cached(request, status: status), redirectCount: redirectCount)
    }

    /// Delivers a stored response or a part of it with these fields, as one from the network would be.
    func serve(_ entry: CacheEntry, fields: [ResponseHead.Field], part: Range<Int>? = nil) {
        var head = entry.stored.head
        head.fields = fields
        if part != nil { head.status = 206 }
        guard let url = request.url else { return failAttempt() }
        let received = ReceivedResponse(head, url: url, isDecoded: entry.stored.isDecoded)
        beginServing(status: head.status)
        caching?.pending = nil
        if let next = redirection(for: received, head: head) { return serveRedirection(next, entry) }
        deliver(received)
        // There is no connection to lose, and nothing to ask the rest of.
        validator = nil
        if request.httpMethod == "HEAD" {
            isEnded = true
            return finishIfDrained()
        }
        cachedBody = CacheBodyReader(entry.body, part: part)
        feedFromCache()
    }

    private func serveRedirection(_ next: Held, _ entry: CacheEntry) {
        guard redirectCount < engine.settings.maximumRedirects else {
            return fail(.ferry(.httpTooManyRedirects, url: request.url, "too many HTTP redirects"))
        }
        held = next
        if case .data(let data) = entry.body { held?.body = Array(data) }
        isEnded = true
        askHeld()
    }

    /// Delivers what the client has room for.
    func feedFromCache() {
        guard let body = cachedBody, held == nil else { return }
        var rest = Self.fedPerTurn
        while client != nil, cachedBody != nil, !isClientFull, !isSuspended {
            body.next(scratch: engine.scratch) { piece in
                switch piece {
                case .bytes(let bytes):
                    rest -= bytes.count
                    if !take(bytes) { failAttempt() }
                case .skipped(let count): rest -= count
                case .end:
                    cachedBody = nil
                    isEnded = true
                    finishIfDrained()
                case .damaged:
                    if let caching { caching.cache.remove(caching.key) }
                    fail(.ferry(.cannotDecodeRawData, url: request.url, "The stored response is damaged"))
                }
            }
            guard rest <= 0, cachedBody != nil, !isClientFull else { continue }
            setClientFull(true)
            engine.submit(.readMore(self))
        }
    }
}
