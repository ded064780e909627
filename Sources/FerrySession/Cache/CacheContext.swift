/// The current request of a call, as the cache uses it, and the response that is stored or validated with it.
struct CacheContext {
    /// The stored part of a response that the server is asked to complete.
    struct Completion {
        var beginning: CacheCompletion.Beginning
        var head: ResponseHead
        var bytes: Data
    }

    /// A response that is stored when it is complete.
    struct Pending {
        var stored: StoredResponse
        /// The writer of the body; `nil` for a redirect, whose ``HeldResponse`` has the body.
        var writer: CacheBodyWriter?
    }

    let cache: HTTPCache
    /// The permission to store the response.
    var ticket: CacheTicket
    let key: String
    /// The request's header fields as they are sent, without the cache's conditions.
    let lines: [String]
    private(set) var request: CacheStorageRule.Request
    let selector: CacheSelector
    /// The credential that libcurl authenticates the request with, as one text.
    let credential: String?
    /// The stored response that the request validates.
    var entry: CacheEntry?
    var conditions: [RequestField] = []
    /// The stored beginning of the response, whose rest the request asks for.
    var completion: Completion?
    /// The head of the 304 that has validated the stored response.
    var validation: ResponseHead?
    var pending: Pending?

    /// Returns `nil` for a request that bypasses the cache: one with conditions that only the server can evaluate, or
    /// with a `Host` field.
    init?(_ prepared: PreparedRequest, cache: HTTPCache, policy: URLRequest.CachePolicy, credential: String?) {
        var controls: [String] = []
        var isPragma = false
        var conditions: [String: String] = [:]
        var request = CacheStorageRule.Request(method: prepared.method)
        for field in prepared.isPlain ? [] : prepared.fields {
            // The names of all fields that are read here begin with one of these letters.
            guard let value = field.value, let first = field.name.utf8.first.map({ $0 | 0x20 }),
                "achipr".utf8.contains(first)
            else { continue }
            let name = field.name.lowercased()
            switch name {
            case "cache-control": controls.append(value)
            case "pragma": isPragma = value.lowercased().contains("no-cache")
            case "authorization": request.isAuthorized = true
            // The response belongs to another host than the URL's, and the key contains the URL.
            case "host": return nil
            default:
                guard CacheValidation.conditionalNames.contains(name) else { continue }
                conditions[name] = value[...].utf8.trimmed.string
            }
        }
        guard let selector = CacheSelector(conditions, method: prepared.method) else { return nil }
        (self.selector, self.credential) = (selector, credential)
        if !controls.isEmpty { request.control = CacheControl(controls) }
        // `Pragma` is the field of HTTP/1.0 for `no-cache` (RFC 9111, section 5.4).
        if controls.isEmpty, isPragma { request.control.isNoCache = true }
        if credential != nil { request.isAuthorized = true }
        request.takesAnyAge = policy == .returnCacheDataElseLoad || policy == .returnCacheDataDontLoad
        self.request = request
        self.cache = cache
        ticket = cache.begin()
        // A stored response is used only for the credential of its request; only the digest of the credential is kept.
        lines = prepared.fields.map(\.line) + (credential.map { ["Authorization: " + $0] } ?? [])
        key = CacheKey.key(prepared.url, origin: prepared.origin)
    }

    /// Asks the server whether a stored response is still valid; with `forcing`, no cache on the way may answer.
    mutating func validate(_ entry: CacheEntry?, forcing: Bool) {
        self.entry = entry
        conditions = entry.map { CacheValidation.conditions($0.fields).map(RequestField.init) } ?? []
        if forcing, !conditions.isEmpty, CacheKey.values(of: "cache-control", in: lines).isEmpty {
            conditions.append(RequestField("Cache-Control", "max-age=0"))
        }
    }

    /// Asks the server for the rest of a stored beginning, if there is one.
    mutating func complete(_ completion: Completion?) {
        guard let completion else { return }
        self.completion = completion
        conditions = completion.beginning.conditions.map(RequestField.init)
    }

    /// Returns the stored form of a response, without its body.
    func stored(
        _ head: ResponseHead,
        _ fields: CacheFields,
        key: String,
        isDecoded: Bool = false,
        at start: Date?
    ) -> StoredResponse {
        let now = Date.current
        var head = head
        // `Content-Length` has no meaning for a chunked body (RFC 9112, section 6.3).
        if head.isChunked { head.fields.removeAll { $0.name.isEqualIgnoringCase("content-length") } }
        head.fields = CacheStorageRule.storedFields(head.fields)
        let selection = Self.selection(fields, request, lines)
        return StoredResponse(
            key: key,
            head: head,
            isDecoded: isDecoded,
            requestTime: start ?? now,
            responseTime: now,
            selectingNames: selection.names,
            variant: selection.variant
        )
    }

    /// Returns the names of the request's fields that select the response, and the variant that they identify.
    static func selection(
        _ fields: CacheFields,
        _ request: CacheStorageRule.Request,
        _ lines: [String]
    ) -> (names: [String], variant: String) {
        let names = CacheStorageRule.selectingNames(fields: fields, request: request)
        return (names, CacheKey.variant(names, lines: lines))
    }

    /// Returns whether a stored response may replace an error that has occurred.
    func mayUseOnError(_ entry: CacheEntry) -> Bool {
        CacheUseRule.mayUseOnError(request: request.control, stored: entry.summary(at: Date.current))
    }
}
