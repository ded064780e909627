/// Stores responses in memory and on disk, and finds them again: a private cache in the sense of RFC 9111.
///
/// A ``CurlSession`` has one of its own in memory, as large as its configuration's `urlCache`; for one that outlives the
/// process, give it a folder:
///
/// ```swift
/// var options = CurlSession.Options()
/// options.cache = HTTPCache(diskCapacity: 100_000_000, directory: folder)
/// let session = CurlSession(configuration: .default, options: options)
/// ```
///
/// Sessions may share a cache, and caches of several processes a folder; what one session has trusted a server to say,
/// the others are told. Files are readable by their owner alone; the
/// folder holds what servers allow to be stored, in clear.
public final class HTTPCache: Sendable {
    /// No response may take more than this part of a capacity.
    static let leastResponses = 10

    /// What a body must keep to.
    struct BodyLimits: Sendable {
        var largest: Int
        /// Beyond it the body goes to a file.
        var inMemory: Int
        var folder: CacheFolder?
    }

    /// How many bytes of responses are kept in memory.
    public let memoryCapacity: Int

    /// How many bytes the files may have; zero without a folder.
    public let diskCapacity: Int

    /// The folder of the files, made when the first response is stored; `nil` for a cache in memory alone.
    public let directory: URL?

    private let memory: Mutex<CacheMemory>
    private let folder: CacheFolder?

    /// Makes a cache.
    ///
    /// No response that takes more than a tenth of a capacity is stored there; the least recently used go first.
    ///
    /// - Parameters:
    ///   - memoryCapacity: In bytes; by default 4 MiB, as for `URLCache`.
    ///   - diskCapacity: In bytes; without a folder it means nothing.
    ///   - directory: The folder of the files, best one of its own; files of other names are let alone.
    public init(memoryCapacity: Int = 4_194_304, diskCapacity: Int = 0, directory: URL? = nil) {
        let hasDisk = directory != nil && diskCapacity > 0
        self.memoryCapacity = max(0, memoryCapacity)
        self.diskCapacity = hasDisk ? diskCapacity : 0
        self.directory = hasDisk ? directory : nil
        memory = Mutex(CacheMemory(capacity: max(0, memoryCapacity)))
        folder = self.directory.map { CacheFolder(url: $0, capacity: diskCapacity) }
    }

    /// A cache in place of a `URLCache`; `nil` for none, or for one without memory.
    ///
    /// Only the memory's capacity counts. The object itself is not used: it takes requests that differ in their query
    /// for the same, and ends the process when it evicts a response that was stored twice. Its folder it tells nobody.
    convenience init?(_ urlCache: URLCache?) {
        guard let capacity = urlCache?.memoryCapacity, capacity > 0 else { return nil }
        self.init(memoryCapacity: capacity)
    }

    /// How many bytes are kept in memory, about.
    public var currentMemoryUsage: Int { memory.withLock { $0.total } }

    /// How many bytes the files have; it looks at each of them.
    public var currentDiskUsage: Int { folder?.size ?? 0 }

    /// Forgets all responses.
    public func removeAll() {
        folder?.removeAll()
        memory.withLock { $0.removeAll() }
    }

    /// Forgets the responses to a URL, whatever `Vary` says.
    public func remove(for url: URL) {
        if let key = CacheKey.key(url) { remove(key) }
    }

    // MARK: - For sessions

    /// Whether asking it never waits for a disk.
    var isInMemory: Bool { folder == nil }

    /// Whether there is certainly nothing in it.
    var isEmpty: Bool { folder == nil && memory.withLock { $0.total } == 0 }

    /// The largest body that could be stored.
    var bodyLimits: BodyLimits {
        let inMemory = memoryCapacity / Self.leastResponses
        guard let folder else { return BodyLimits(largest: inMemory, inMemory: inMemory) }
        return BodyLimits(
            largest: max(folder.largest, min(inMemory, CacheFolder.largestInline)),
            inMemory: CacheFolder.largestInline,
            folder: folder
        )
    }

    /// The stored response for a request whose fields are `lines`.
    func find(_ key: String, lines: [String]) -> CacheEntry? {
        let (found, removals) = memory.withLock { ($0.find(key, lines: lines), $0.removals) }
        if let found { return found }
        guard let entry = folder?.find(key, lines: lines) else { return nil }
        if case .data(let data) = entry.body {
            memory.withLock { memory in
                if memory.removals == removals { memory.insert(entry, bodySize: data.count) }
            }
        }
        return entry
    }

    /// Stores a response in place of the one before it.
    func store(_ stored: StoredResponse, _ body: CollectedBody, inMemoryOnly: Bool = false) {
        if let folder {
            if !inMemoryOnly, folder.store(stored, body) {
                guard case .data(let data) = body else { return memory.withLock { $0.remove(stored.key) } }
                return insert(stored, data)
            }
            // What earlier responses have left in files would come back when the memory is gone.
            remove(stored.key)
        }
        guard let data = body.data else { return }
        insert(stored, data)
    }

    private func insert(_ stored: StoredResponse, _ data: Data) {
        memory.withLock { $0.insert(CacheEntry(stored, body: .data(data)), bodySize: data.count) }
    }

    /// Keeps new metadata of a response whose body stays.
    func update(_ entry: CacheEntry, to stored: StoredResponse) -> CacheEntry {
        folder?.update(entry, to: stored)
        let updated = CacheEntry(stored, body: entry.body)
        if case .data(let data) = entry.body { memory.withLock { $0.insert(updated, bodySize: data.count) } }
        return updated
    }

    func remove(_ key: String) {
        // The stored beginning of a response is as old as the whole.
        let keys = [key, CacheCompletion.key(key)]
        // The files first: what is read from them meanwhile is not kept, since a removal follows.
        for key in keys { folder?.remove(key) }
        memory.withLock { memory in
            for key in keys { memory.remove(key) }
        }
    }
}
