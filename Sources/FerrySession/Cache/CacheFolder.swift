/// The files of the cache: a small one for each response, and another for each body that is not small.
///
/// Sessions and processes may share a folder: a file appears and disappears as a whole, a missing file is a cache miss,
/// and a malformed one is removed. Files with other names are left alone.
final class CacheFolder: Sendable {
    /// The largest body that is kept in the response's own file, and so also in memory.
    static let largestInline = 65_536
    static let entrySuffix = ".ferry-response"
    static let bodySuffix = ".ferry-body"
    static let partSuffix = ".ferry-part"
    /// The number of hexadecimal digits that identify a generation of variants.
    static let generationLength = 16

    private typealias Contents = (record: CacheFile.Record, body: Data)

    private struct Usage {
        /// The size of all files as far as this process knows, or `nil` before it has looked.
        var total: Int?
        var storesSinceLook = 0
        var isLooking = false
    }

    let url: URL
    let capacity: Int
    private let usage = Mutex(Usage())

    init(url: URL, capacity: Int) { (self.url, self.capacity) = (url, capacity) }

    /// The size of the largest response that is stored.
    var largest: Int { capacity / HTTPCache.leastResponses }

    func path(_ name: String) -> String { url.path + "/" + name }

    static func keyName(_ key: String) -> String { hex(key, bytes: 16) }

    static func variantName(_ keyName: String, _ generation: String, _ variant: String) -> String {
        keyName + "-" + generation + "-" + hex(variant, bytes: 8)
    }

    static func hex(_ text: String, bytes: Int) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let hash = SHA256Hash.hash(Data(text.utf8)).prefix(bytes)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the stored response for a request whose header lines are `lines`.
    func find(_ key: String, lines: [String]) -> CacheEntry? {
        let name = Self.keyName(key)
        guard let found = read(name) else { return nil }
        guard let variants = found.record.variants else { return entry(name, found, key: key, variant: "") }
        let variant = CacheKey.variant(variants.names, lines: lines)
        let variantName = Self.variantName(name, variants.generation, variant)
        return read(variantName).flatMap { entry(variantName, $0, key: key, variant: variant) }
    }

    /// Returns the response in the file of a name, or `nil` if it is another one or its body is missing.
    private func entry(_ name: String, _ found: Contents, key: String, variant: String) -> CacheEntry? {
        let record = found.record
        // Digests could collide, if someone made an effort.
        guard let stored = record.stored, stored.key == key, stored.variant == variant else { return nil }
        guard let bodyName = record.bodyName else { return CacheEntry(stored, body: .data(found.body)) }
        let file = CacheBodyFile(
            path: path(bodyName),
            name: bodyName,
            length: record.bodyLength,
            checksum: record.bodyChecksum
        )
        guard Self.isName(bodyName), let file else {
            delete(name + Self.entrySuffix)
            return nil
        }
        return CacheEntry(stored, body: .file(file))
    }

    /// Reads a small file, and removes it if it is malformed.
    private func read(_ name: String) -> Contents? {
        guard let file = CacheFile.open(path(name + Self.entrySuffix)) else { return nil }
        guard let data = try? file.read(upToCount: CacheFile.mostBytes + 1), let found = CacheFile.decode(data) else {
            delete(name + Self.entrySuffix)
            return nil
        }
        return found
    }

    /// Removes all responses of a key; its variants are never found again.
    func remove(_ key: String) {
        let name = Self.keyName(key)
        if let body = read(name)?.record.bodyName { delete(body) }
        delete(name + Self.entrySuffix)
    }

    func delete(_ name: String) {
        guard Self.isName(name) else { return }
        unlink(path(name))
    }

    /// Returns whether a name is one that this type makes; other files are never touched.
    static func isName(_ name: String) -> Bool {
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return false }
        return [entrySuffix, bodySuffix, partSuffix].contains(String(name[dot...]))
            && name[..<dot].utf8.allSatisfy { $0.hexValue != nil || $0 == UInt8(ascii: "-") }
    }
}

// MARK: - Storing

extension CacheFolder {
    /// Writes a response to a separate file that is then renamed, and returns whether that was possible.
    func store(_ stored: StoredResponse, _ body: CollectedBody) -> Bool {
        var record = CacheFile.Record(stored: stored)
        switch body {
        case .data(let data):
            guard let bytes = CacheFile.encode(record, body: data), bytes.count <= largest else { return false }
            return write(bytes, for: stored)
        case .part(let part):
            guard let bodyName = part.adopt() else { return false }
            (record.bodyName, record.bodyLength, record.bodyChecksum) = (bodyName, part.length, part.checksum)
            guard let bytes = CacheFile.encode(record, body: nil), write(bytes, for: stored) else {
                delete(bodyName)
                return false
            }
            note(part.length)
            return true
        }
    }

    /// Writes new metadata for a response whose body is kept, and returns whether it was still there.
    func update(_ entry: CacheEntry, to stored: StoredResponse) -> Bool {
        guard contains(entry.stored) else { return false }
        var record = CacheFile.Record(stored: stored)
        var inline: Data?
        switch entry.body {
        case .data(let data): inline = data
        case .file(let file):
            (record.bodyName, record.bodyLength, record.bodyChecksum) = (file.name, file.length, file.checksum)
        }
        guard let bytes = CacheFile.encode(record, body: inline), bytes.count <= largest else {
            remove(stored.key)
            return true
        }
        _ = write(bytes, for: stored, keeping: record.bodyName)
        return true
    }

    /// Whether a response that was found has neither been removed nor replaced.
    private func contains(_ stored: StoredResponse) -> Bool { present(stored)?.hasSameTimes(as: stored) == true }

    /// Returns the response with the same key and variant as another one.
    func present(_ stored: StoredResponse) -> StoredResponse? {
        let name = Self.keyName(stored.key)
        guard let found = read(name)?.record else { return nil }
        guard let variants = found.variants else { return found.stored }
        guard variants.names == stored.selectingNames else { return nil }
        return read(Self.variantName(name, variants.generation, stored.variant))?.record.stored
    }

    private func write(_ bytes: Data, for stored: StoredResponse, keeping bodyName: String? = nil) -> Bool {
        let keyName = Self.keyName(stored.key)
        let old = read(keyName)?.record
        guard !stored.selectingNames.isEmpty else { return replace(keyName, bytes, old: old, keeping: bodyName) }
        if let variants = old?.variants, variants.names == stored.selectingNames {
            let name = Self.variantName(keyName, variants.generation, stored.variant)
            return replace(name, bytes, old: read(name)?.record, keeping: bodyName)
        }
        let generation = Self.hex(UUID().uuidString, bytes: Self.generationLength / 2)
        let variants = CacheFile.Variants(names: stored.selectingNames, generation: generation)
        guard let head = CacheFile.encode(CacheFile.Record(variants: variants), body: nil) else { return false }
        // The variant first, so that a reader who finds the key's file finds the variant too.
        guard replace(Self.variantName(keyName, generation, stored.variant), bytes, old: nil, keeping: nil) else {
            return false
        }
        return replace(keyName, head, old: old, keeping: bodyName)
    }

    private func replace(_ name: String, _ bytes: Data, old: CacheFile.Record?, keeping bodyName: String?) -> Bool {
        guard let part = CachePart(folder: self) else { return false }
        guard bytes.withUnsafeBytes({ part.write($0) }), part.publish(as: name + Self.entrySuffix) else { return false }
        if let body = old?.bodyName, body != bodyName { delete(body) }
        note(bytes.count)
        return true
    }
}

// MARK: - Evicting

extension CacheFolder {
    func removeAll() {
        for file in files() { delete(file.name) }
        usage.withLock { $0.total = 0 }
    }

    private struct File {
        var name: String
        var size: Int
        var used: timespec
    }

    /// The current size of all files in bytes.
    var size: Int { Self.size(of: files()) }

    /// Adds up sizes without overflow, since a sparse file may claim to be of any size.
    private static func size(of files: [File]) -> Int {
        files.reduce(0) { sum, file in
            let (next, isTooLarge) = sum.addingReportingOverflow(file.size)
            return isTooLarge ? .max : next
        }
    }

    private func files() -> [File] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter(Self.isName).compactMap { name in
            var info = stat()
            guard lstat(path(name), &info) == 0, CacheFile.isOurs(info) else { return nil }
            return File(name: name, size: Int(info.st_size), used: info.st_mtim)
        }
    }

    /// Counts stored bytes and evicts files if necessary; from time to time includes what other processes have stored.
    func note(_ count: Int) {
        let mustLook = usage.withLock { usage -> Bool in
            usage.storesSinceLook += 1
            usage.total = usage.total.map { $0 > .max - count ? .max : $0 + count }
            let isDue = usage.total.map { $0 > capacity } ?? true || usage.storesSinceLook >= 64
            guard isDue, !usage.isLooking else { return false }
            usage.isLooking = true
            return true
        }
        guard mustLook else { return }
        let total = evict()
        usage.withLock { $0 = Usage(total: total) }
    }

    /// Removes leftovers of crashes and the least recently used responses.
    private func evict() -> Int {
        let anHourAgo = time(nil) - 3600
        let all = files()
        let isLeftover = { (file: File) in file.name.hasSuffix(Self.partSuffix) && file.used.tv_sec < anHourAgo }
        for file in all where isLeftover(file) { delete(file.name) }
        var kept = all.filter { !isLeftover($0) }
        var total = Self.size(of: kept)
        guard total > capacity else { return total }
        kept.sort { ($0.used.tv_sec, $0.used.tv_nsec) < ($1.used.tv_sec, $1.used.tv_nsec) }
        // More is removed than necessary, so that not every new response triggers an eviction.
        for file in kept where !file.name.hasSuffix(Self.partSuffix) {
            guard total > capacity - capacity / 8 else { break }
            delete(file.name)
            total = max(0, total - file.size)
        }
        return total
    }
}
