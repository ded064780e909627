/// The permission to store the response to one request: it ends when that response is removed from the cache.
///
/// It is taken before the request is sent, so that a response on its way does not come back after a removal.
package struct CacheTicket: Sendable {
    let cache: HTTPCache
    /// The number of removals that were requested before.
    let removals: Int

    /// Stores a response, which replaces the previous one, unless that was removed or requested later.
    package func store(_ stored: StoredResponse, _ body: CollectedBody, inMemoryOnly: Bool = false) {
        guard isValid(for: stored.key) else { return }
        cache.store(stored, body, inMemoryOnly: inMemoryOnly)
        if !isValid(for: stored.key) { cache.discard(stored.key) }
    }

    /// Stores new metadata for a response whose body is kept, unless it was removed or replaced in the meantime.
    package func update(_ entry: CacheEntry, to stored: StoredResponse) -> CacheEntry {
        cache.update(entry, to: stored, with: self)
    }

    func isValid(for key: String) -> Bool { !cache.isRemoved(key, since: removals) }
}
