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
    static let leastResponses = 10

    /// The limits on the body of a response.
    struct BodyLimits: Sendable {
        var largest: Int
        /// The maximum size of a body in memory; larger ones are written to a file.
        var inMemory: Int
        var folder: CacheFolder?
    }

    /// The maximum size of the responses in memory, in bytes.
    public let memoryCapacity: Int
    /// The maximum size of the files, in bytes; zero without a folder.
    public let diskCapacity: Int
    /// The folder of the files, created when the first response is stored, or `nil` for a cache in memory only.
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
    ///   - directory: The folder of the files, preferably used for nothing else; files with other names are left alone.
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
    convenience init?(_ urlCache: URLCache?) {
        guard let capacity = urlCache?.memoryCapacity, capacity > 0 else { return nil }
        self.init(memoryCapacity: capacity)
    }

    /// The approximate size of the responses in memory, in bytes.
    public var currentMemoryUsage: Int { memory.withLock { $0.total } }
    /// The current size of the files, in bytes, which is determined by examining each of them.
    public var currentDiskUsage: Int { folder?.size ?? 0 }

    /// Removes all responses, in memory and on disk; returns when the files are deleted.
    ///
    /// Responses to requests that have been sent before are not stored either.
    public func removeAll() {
        // First, so that a response that is being stored now is removed again.
        memory.withLock { $0.requestedRemovals.noteAll() }
        folder?.removeAll()
        memory.withLock { $0.removeAll() }
    }

    /// Removes the responses to a URL, in memory and on disk, whatever their `Vary`.
    ///
    /// Responses to requests that have been sent before are not stored either. Files of responses with `Vary` are not used
    /// again, and are deleted when the cache needs their space.
    public func remove(for url: URL) {
        if let key = CacheKey.key(url) { remove(key) }
    }

    /// Whether a lookup never waits for a disk.
    var isInMemory: Bool { folder == nil }
    /// The number of removals on request; a response whose key was removed after its request is not stored.
    var generation: Int { memory.withLock { $0.requestedRemovals.count } }
    /// The ``generation`` if the cache is certainly empty, and otherwise `nil`.
    var generationIfEmpty: Int? {
        folder == nil ? memory.withLock { $0.total == 0 ? $0.requestedRemovals.count : nil } : nil
    }

    /// The limits on a body that could be stored.
    var bodyLimits: BodyLimits {
        let inMemory = memoryCapacity / Self.leastResponses
        guard let folder else { return BodyLimits(largest: inMemory, inMemory: inMemory) }
        return BodyLimits(
            largest: max(folder.largest, min(inMemory, CacheFolder.largestInline)),
            inMemory: CacheFolder.largestInline,
            folder: folder
        )
    }

    /// Returns the stored response for a request whose header lines are `lines`.
    func find(_ key: String, lines: [String]) -> CacheEntry? {
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

    /// Stores a response, which replaces the previous one, unless that was removed or replaced since this was requested.
    func store(_ stored: StoredResponse, _ body: CollectedBody, inMemoryOnly: Bool = false, requestedIn generation: Int)
    {
        guard !isRemoved(stored.key, since: generation) else { return }
        store(stored, body, inMemoryOnly: inMemoryOnly)
        if isRemoved(stored.key, since: generation) { discard(stored.key) }
    }

    private func isRemoved(_ key: String, since generation: Int) -> Bool {
        memory.withLock { $0.requestedRemovals.contains(key, since: generation) }
    }

    /// Stores a response, which replaces the previous one unless that was requested later.
    func store(_ stored: StoredResponse, _ body: CollectedBody, inMemoryOnly: Bool = false) {
        if let folder {
            let present = memory.withLock { $0.present(stored) } ?? folder.present(stored)
            if let present, present.isNewer(than: stored) { return }
            if !inMemoryOnly, folder.store(stored, body) {
                guard case .data(let data) = body else { return memory.withLock { $0.remove(stored.key) } }
                return insert(stored, data)
            }
            // Otherwise files of earlier responses would be used again once the response is evicted from memory.
            discard(stored.key)
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

    /// Stores new metadata for a response whose body is kept, unless it was removed or replaced since these were requested.
    func update(_ entry: CacheEntry, to stored: StoredResponse, requestedIn generation: Int) -> CacheEntry {
        let updated = CacheEntry(stored, body: entry.body)
        guard !isRemoved(stored.key, since: generation) else { return updated }
        let removals = memory.withLock { $0.removals }
        let isOnDisk = folder?.update(entry, to: stored) ?? false
        let mayBeRemoved = memory.withLock { memory -> Bool in
            let isRemoved = memory.requestedRemovals.contains(stored.key, since: generation)
            let mayBeRemoved = isOnDisk && (isRemoved || memory.removals != removals)
            if case .data(let data) = entry.body, !mayBeRemoved, isOnDisk || memory.contains(entry) {
                memory.insert(updated, bodySize: data.count)
            }
            return mayBeRemoved
        }
        // Which response was removed while the file was written is not known.
        if mayBeRemoved { discard(stored.key) }
        return updated
    }

    /// Removes the responses of a key, also those that are still on their way.
    func remove(_ key: String) {
        // First, so that a response that is being stored now is removed again.
        memory.withLock { memory in
            for key in Self.keys(key) { memory.requestedRemovals.note(key) }
        }
        discard(key)
    }

    /// Returns the key, and that of a stored beginning, which is as outdated as a complete response.
    private static func keys(_ key: String) -> [String] { [key, CacheCompletion.key(key)] }

    /// Removes the responses of a key that are stored now.
    private func discard(_ key: String) {
        let keys = Self.keys(key)
        // Remove the files first: a response read from them in the meantime is not kept, because the removal in memory
        // follows.
        for key in keys { folder?.remove(key) }
        memory.withLock { memory in
            for key in keys { memory.remove(key) }
        }
    }
}
