/// What the cache has to do with the current request of a transfer.
struct CacheContext {
    /// What an answer's head means, once the attempt is over.
    enum Outcome {
        /// The stored response holds, with the fields of this head.
        case notModified(ResponseHead)
        /// The answer is an error, and the stored response takes its place.
        case servesStale
    }

    /// A response that is to be stored.
    struct Pending {
        var stored: StoredResponse
        /// `nil` for a redirection, whose body the pending question has.
        var writer: CacheBodyWriter?
    }

    let cache: HTTPCache
    let key: String
    /// The request's fields as they go out, without conditions of the cache's own.
    let lines: [String]
    private(set) var request: CacheStorageRule.Request
    let selector: CacheSelector
    /// What libcurl authenticates the request with.
    let credential: String?
    /// The stored response that is asked about.
    var entry: CacheEntry?
    var conditions: [String] = []
    /// The beginning of the response, whose rest is asked for.
    var completion: Exchange.Completion?
    var outcome: Outcome?
    var pending: Pending?

    /// Returns `nil` for a request that bypasses the cache: one with conditions that only the server can judge, or with a
    /// `Host` of its own.
    init?(_ prepared: PreparedRequest, cache: HTTPCache, policy: URLRequest.CachePolicy, credential: String?) {
        var controls: [String] = []
        var isPragma = false
        var conditions: [String: String] = [:]
        var request = CacheStorageRule.Request(method: prepared.method)
        for line in prepared.isPlain ? [] : prepared.headers {
            guard let end = line.utf8.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }) else {
                continue
            }
            // None of the names that matter begins otherwise.
            guard let first = line.utf8.first.map({ $0 | 0x20 }), "achipr".utf8.contains(first) else { continue }
            let name = line[..<end].lowercased()
            switch name {
            case "cache-control": controls.append(String(line[line.utf8.index(after: end)...]))
            case "pragma": isPragma = line.lowercased().contains("no-cache")
            case "authorization": request.isAuthorized = true
            // The response is another host's than the URL's, which the key is made of.
            case "host": return nil
            default:
                guard CacheValidation.conditionalNames.contains(name) else { continue }
                conditions[name] = line[line.utf8.index(after: end)...].utf8.trimmed.string
            }
        }
        guard let selector = CacheSelector(conditions, method: prepared.method) else { return nil }
        (self.selector, self.credential) = (selector, credential)
        if !controls.isEmpty { request.control = CacheControl(controls) }
        // RFC 9111, section 5.4: what HTTP/1.0 has for it.
        if controls.isEmpty, isPragma { request.control.isNoCache = true }
        if credential != nil { request.isAuthorized = true }
        request.takesAnyAge = policy == .returnCacheDataElseLoad || policy == .returnCacheDataDontLoad
        self.request = request
        self.cache = cache
        // Responses are for the credential that they were asked for with; only its digest is kept.
        lines = prepared.headers + (credential.map { ["Authorization: " + $0] } ?? [])
        key = CacheKey.key(prepared.url, origin: prepared.origin)
    }

    /// Whether a stored response takes the place of an error that has happened now.
    func mayUseOnError(_ entry: CacheEntry) -> Bool {
        CacheUseRule.mayUseOnError(request: request.control, stored: entry.summary(at: Date()))
    }
}
