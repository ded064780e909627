/// A private cache (RFC 9111) that stores responses in memory and on disk.
///
/// By default a ``CurlSession`` has its own cache in memory, as large as its configuration's `urlCache`. For a cache
/// that outlives the process, provide a folder:
///
/// ```swift
/// var options = CurlSession.Options()
/// options.cache = HTTPCache(diskCapacity: 100_000_000, directory: folder)
/// let session = CurlSession(configuration: .default, options: options)
/// ```
///
/// Sessions may share a cache, and caches of several processes may share a folder; a response from a server that one
/// session trusts is also served to the others. The files are readable only by their owner; they contain, unencrypted,
/// what servers allow to be stored.
public final class HTTPCache: Sendable {
    /// The divisor of a capacity that gives the maximum size of one response.
    package static let minimumResponses = 10

    /// The limits on the body of a response.
    package struct BodyLimits: Sendable {
        package var largest: Int
        /// The maximum size of a body in memory; larger ones are written to a file.
        package var inMemory: Int
        package var folder: CacheFolder?
    }

    /// The maximum size of the responses in memory, in bytes.
    public let memoryCapacity: Int
    /// The maximum size of the files, in bytes; zero without a folder.
    public let diskCapacity: Int
    /// The folder of the files, which the first response to be stored creates, or `nil` for a cache in memory only.
    public let directory: URL?
    private let memory: Mutex<CacheMemory>
    private let folder: CacheFolder?

    /// Makes a cache.
    ///
    /// A response that takes more than a tenth of a capacity is not stored there. The least recently used responses are
    /// removed first.
    ///
    /// - Parameters:
    ///   - memoryCapacity: The maximum size in memory, in bytes; 4 MiB by default, as for `URLCache`.
    ///   - diskCapacity: The maximum size on disk, in bytes; without a folder it has no effect.
    ///   - directory: The folder in which the cache makes a folder `ferry-cache` for its files; others are left alone.
    public init(memoryCapacity: Int = 4_194_304, diskCapacity: Int = 0, directory: URL? = nil) {
        let hasDisk = directory != nil && diskCapacity > 0
        self.memoryCapacity = max(0, memoryCapacity)
        self.diskCapacity = hasDisk ? diskCapacity : 0
        self.directory = hasDisk ? directory : nil
        memory = Mutex(CacheMemory(capacity: max(0, memoryCapacity)))
        folder = self.directory.map { CacheFolder(url: $0, capacity: diskCapacity) }
    }

    /// Makes a cache in place of a `URLCache`; `nil` for none, or for one without memory.
    ///
    /// Only the memory capacity is used. The object itself is not: it treats requests with different queries as equal,
    /// and crashes when it evicts a response that was stored twice. Its folder cannot be read from it.
    package convenience init?(_ urlCache: URLCache?) {
        guard let capacity = urlCache?.memoryCapacity, capacity > 0 else { return nil }
        self.init(memoryCapacity: capacity)
    }

    /// The approximate size of the responses in memory, in bytes.
    public var currentMemoryUsage: Int { memory.withLock { $0.total } }
    /// The current size of the files, in bytes, each of which is examined.
    public var currentDiskUsage: Int { folder?.size ?? 0 }

    /// Removes all responses, in memory and on disk, none of which is found when this returns.
    ///
    /// The files are deleted in the background, or the next time a process uses the folder.
    /// Responses to requests that have been sent before are not stored either.
    public func removeAll() {
        // First, so that a response that is being stored now is removed again.
        memory.withLock { $0.requestedRemovals.noteAll() }
        folder?.removeAll()
        memory.withLock { $0.removeAll() }
    }

    /// Removes the responses to a URL, in memory and on disk, whatever their `Vary`.
    ///
    /// Responses to requests that have been sent before are not stored either. Files of responses with `Vary` are not
    /// found any more, and are deleted in the background. A URL whose scheme is neither http nor https has no effect.
    public func remove(for url: URL) {
        if let key = CacheKey.key(url) { remove(key) }
    }

    /// Waits until the work that is due in the background is done.
    package func finishMaintenance() { folder?.maintenance.wait() }

    /// Whether a lookup never waits for a disk.
    package var isInMemory: Bool { folder == nil }

    /// Returns the permission to store the response to a request that is about to be sent.
    package func begin() -> CacheTicket {
        CacheTicket(cache: self, removals: memory.withLock { $0.requestedRemovals.count })
    }

    /// Returns the permission to store the response if the cache is certainly empty, and otherwise `nil`.
    package func beginIfEmpty() -> CacheTicket? {
        guard folder == nil else { return nil }
        let removals = memory.withLock { $0.total == 0 ? $0.requestedRemovals.count : nil }
        return removals.map { CacheTicket(cache: self, removals: $0) }
    }

    package var bodyLimits: BodyLimits {
        let inMemory = memoryCapacity / Self.minimumResponses
        guard let folder else { return BodyLimits(largest: inMemory, inMemory: inMemory) }
        return BodyLimits(
            largest: max(folder.largest, min(inMemory, CacheFolder.maximumInlineSize)),
            inMemory: CacheFolder.maximumInlineSize,
            folder: folder
        )
    }

    /// Returns the stored response for a request whose header lines are `lines`.
    package func find(_ key: String, lines: [String]) -> CacheEntry? {
        let (found, removals) = memory.withLock { ($0.find(key, lines: lines), $0.removals) }
        if let found { return found }
        guard let entry = folder?.find(key, lines: lines) else { return nil }
        if case .data(let data) = entry.body {
            memory.withLock { memory in
                if memory.removals == removals { memory.insertFound(entry, bodySize: data.count) }
            }
        }
        return entry
    }

    func isRemoved(_ key: String, since removals: Int) -> Bool {
        memory.withLock { $0.requestedRemovals.contains(key, since: removals) }
    }

    /// Stores a response, which replaces the previous one unless that was requested later.
    func store(_ stored: StoredResponse, _ body: CollectedBody, inMemoryOnly: Bool = false) {
        if let folder {
            if let present = memory.withLock({ $0.present(stored) }), present.isNewer(than: stored) { return }
            let isOlder = inMemoryOnly && folder.present(stored)?.isNewer(than: stored) == true
            switch inMemoryOnly ? (isOlder ? .isOlder : .failed) : folder.store(stored, body) {
            case .isOlder: return
            case .stored:
                guard case .data(let data) = body else { return memory.withLock { $0.remove(stored.key) } }
                return insert(stored, data)
            // Files of earlier responses would be used again once the response is evicted from memory.
            case .failed: discard(stored.key)
            }
        }
        guard let data = body.data else { return }
        insert(stored, data)
    }

    private func insert(_ stored: StoredResponse, _ data: Data) {
        let isInserted = memory.withLock { memory -> Bool in
            if let present = memory.present(stored), present.isNewer(than: stored) { return false }
            memory.insert(CacheEntry(stored, body: .data(data)), bodySize: data.count)
            return true
        }
        // The file of the newer response may just have been replaced.
        if !isInserted, folder != nil { discard(stored.key) }
    }

    /// Stores new metadata for a response whose body is kept, unless the ticket is not valid any more.
    func update(_ entry: CacheEntry, to stored: StoredResponse, with ticket: CacheTicket) -> CacheEntry {
        let updated = CacheEntry(stored, body: entry.body)
        guard ticket.isValid(for: stored.key) else { return updated }
        let removals = memory.withLock { $0.removals }
        let isOnDisk = folder?.update(entry, to: stored) ?? false
        let mayBeRemoved = memory.withLock { memory -> Bool in
            let isRemoved = memory.requestedRemovals.contains(stored.key, since: ticket.removals)
            let mayBeRemoved = isOnDisk && (isRemoved || memory.removals != removals)
            if case .data(let data) = entry.body, !mayBeRemoved, isOnDisk || memory.contains(entry) {
                memory.insert(updated, bodySize: data.count)
            }
            return mayBeRemoved
        }
        // It is not known which response was removed while the file was written.
        if mayBeRemoved { discard(stored.key) }
        return updated
    }

    /// Removes the responses of a key, also those that are still on their way.
    package func remove(_ key: String) {
        // First, so that a response that is being stored now is removed again.
        memory.withLock { memory in
            for key in Self.keys(key) { memory.requestedRemovals.note(key) }
        }
        discard(key)
    }

    /// Returns the key, and the key of a stored beginning, which is as outdated as a complete response.
    private static func keys(_ key: String) -> [String] { [key, CacheCompletion.key(key)] }

    /// Removes the responses of a key that are stored now.
    func discard(_ key: String) {
        let keys = Self.keys(key)
        // Remove the files first: a response read from them in the meantime is not kept, because the removal in memory
        // follows.
        for key in keys { folder?.remove(key) }
        memory.withLock { memory in
            for key in keys { memory.remove(key) }
        }
    }
}

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
