/// The caches that stand for configurations' `URLCache`s.
///
/// Only a `URLCache`'s memory capacity counts. The object itself is not used: it takes requests that differ in their
/// query for the same, and ends the process when it evicts a response that was stored twice. Its folder it tells nobody.
extension HTTPCache {
    private struct Attachment {
        weak var cache: HTTPCache?
        /// Kept as long as the entry, so that its identity is not given to another object.
        var urlCache: URLCache
    }

    private static let attachments = Mutex<[ObjectIdentifier: Attachment]>([:])

    /// The cache for a `URLCache`, one for all sessions that have it; `nil` for none, or one without memory.
    static func attached(to urlCache: URLCache?) -> HTTPCache? {
        guard let urlCache, urlCache.memoryCapacity > 0 else { return nil }
        return attachments.withLock { attachments in
            if let known = attachments[ObjectIdentifier(urlCache)]?.cache { return known }
            attachments = attachments.filter { $0.value.cache != nil }
            let cache = HTTPCache(memoryCapacity: urlCache.memoryCapacity)
            attachments[ObjectIdentifier(urlCache)] = Attachment(cache: cache, urlCache: urlCache)
            return cache
        }
    }
}
