/// The files of the cache: a small one for each response, and another for each body that is not small.
///
/// They are in a folder of their own within the folder that the user provides. Sessions and processes may share it: a
/// file appears and disappears as a whole, a missing file is a cache miss, and a malformed one is removed.
package final class CacheFolder: Sendable {
    /// The largest body that is kept in the response's own file, and so also in memory.
    package static let maximumInlineSize = 65_536
    /// The minimum time between two notes of the use of a file, in seconds.
    static let useInterval = 60

    package enum StoreResult: Sendable {
        case stored
        /// There is a response that was requested later.
        case isOlder
        case failed
    }

    /// The records that are stored for the key of a response.
    private struct Present {
        package var keyRecord: CacheFile.Record?
        /// The file of the response; `nil` if it is the first of its variants.
        package var name: CacheName?
        package var record: CacheFile.Record?

        package var stored: StoredResponse? { keyRecord?.variants == nil ? keyRecord?.stored : record?.stored }
    }

    /// The folder that the user has provided.
    package let url: URL
    /// The path of the folder within it that belongs to the cache.
    package let root: String
    package let capacity: Int
    /// The bytes that have been written and are not yet in the file of the count.
    let uncounted = Mutex<Int64>(0)
    package let maintenance = CacheMaintenance()

    package init(url: URL, capacity: Int) {
        (self.url, self.capacity) = (url, capacity)
        root = url.path + "/ferry-cache"
    }

    /// The size of the largest response that is stored.
    package var largest: Int { capacity / HTTPCache.minimumResponses }

    package func path(_ name: CacheName) -> String { root + "/" + name.path }

    /// Returns the name of a variant's file, which begins like the name of the key's file.
    ///
    /// It continues with the generation, so that all variants of a generation can be found.
    private static func variantName(
        _ key: CacheName,
        _ variants: CacheFile.Variants,
        _ stored: (key: String, variant: String)
    ) -> CacheName {
        let own = CacheName(hashing: stored.key + "\n" + variants.generation + "\n" + stored.variant)
        return CacheName(high: key.high, low: mark(variants) << 32 | own.low & 0xFFFF_FFFF, kind: .response)
    }

    private static func mark(_ variants: CacheFile.Variants) -> UInt64 {
        (UInt64(variants.generation, radix: 16) ?? 0) & 0xFFFF_FFFF
    }

    /// Returns the stored response for a request whose header lines are `lines`.
    package func find(_ key: String, lines: [String]) -> CacheEntry? {
        maintenance.begin(once: true) { [self] in maintain() }
        let name = CacheName(hashing: key)
        guard let found = read(name) else { return nil }
        guard let variants = found.record.variants else { return entry(name, found, key: key, variant: "") }
        let variant = CacheKey.variant(variants.names, lines: lines)
        let variantName = Self.variantName(name, variants, (key, variant))
        return read(variantName).flatMap { entry(variantName, $0, key: key, variant: variant) }
    }

    /// Returns the response in the file of a name, or `nil` if it is another one or its body is missing.
    private func entry(_ name: CacheName, _ found: CacheFile.Contents, key: String, variant: String) -> CacheEntry? {
        let record = found.record
        // Digests could collide, if someone made an effort.
        guard let stored = record.stored, stored.key == key, stored.variant == variant else { return nil }
        guard let bodyName = record.bodyName.flatMap({ CacheName($0) }) else {
            return CacheEntry(stored, body: .data(found.body))
        }
        guard record.bodyLength <= largest else { return nil }
        guard let (file, info) = CacheFile.open(path(bodyName)),
            let body = CacheBodyFile(file, bodyName, length: record.bodyLength, checksum: record.bodyChecksum)
        else {
            // Another process may have replaced the response since its record was read.
            if read(name, notesUse: false)?.record.bodyName == record.bodyName {
                delete(name)
                delete(bodyName)
            }
            return nil
        }
        noteUse(of: file, info)
        return CacheEntry(stored, body: .file(body))
    }

    /// Reads a small file, and removes it if it is malformed.
    private func read(_ name: CacheName, notesUse: Bool = true) -> CacheFile.Contents? {
        guard let (file, info) = CacheFile.open(path(name)) else { return nil }
        guard let data = try? file.read(upToCount: CacheFile.maximumSize + 1), let found = CacheFile.decode(data) else {
            delete(name)
            return nil
        }
        if notesUse { noteUse(of: file, info) }
        return found
    }

    /// Notes that a file is used now, for the order of eviction, in which a minute does not matter.
    private func noteUse(of file: RegularFile, _ info: stat) {
        if info.st_mtim.tv_sec < time(nil) - Self.useInterval { file.setTimesToNow() }
    }

    /// Removes all responses of a key; the files of variants, which are never found again, are deleted soon.
    package func remove(_ key: String) {
        let name = CacheName(hashing: key)
        let record = read(name)?.record
        if let body = record?.bodyName.flatMap({ CacheName($0) }) { delete(body) }
        delete(name)
        if let variants = record?.variants { deleteSoon(variants, of: name) }
    }

    /// Deletes the variants of a key, of which there may be many, in the background.
    private func deleteSoon(_ variants: CacheFile.Variants, of key: CacheName, keeping bodyName: String? = nil) {
        maintenance.run { [self] in
            let folder = URL(fileURLWithPath: path(key)).deletingLastPathComponent().path
            for fileName in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                guard let name = CacheName(fileName), name.kind == .response, name != key, name.high == key.high,
                    name.low >> 32 == Self.mark(variants)
                else { continue }
                let body = read(name, notesUse: false)?.record.bodyName
                if let body, body != bodyName { CacheName(body).map(delete) }
                delete(name)
            }
        }
    }

    // MARK: - Storing

    /// Writes a response, unless there is one that was requested later.
    package func store(_ stored: StoredResponse, _ body: CollectedBody) -> StoreResult {
        let present = look(for: stored)
        if let other = present.stored, other.isNewer(than: stored) { return .isOlder }
        var record = CacheFile.Record(stored: stored)
        switch body {
        case .data(let data):
            guard let bytes = CacheFile.encode(record, body: data), bytes.count <= largest else { return .failed }
            return write(bytes, for: stored, replacing: present) ? .stored : .failed
        case .part(let part):
            guard let bodyName = part.adopt() else { return .failed }
            (record.bodyName, record.bodyLength) = (bodyName.fileName, part.length)
            record.bodyChecksum = part.checksum
            guard let bytes = CacheFile.encode(record, body: nil), write(bytes, for: stored, replacing: present) else {
                delete(bodyName)
                return .failed
            }
            return .stored
        }
    }

    /// Writes new metadata for a response whose body is kept, and returns whether it was still there.
    package func update(_ entry: CacheEntry, to stored: StoredResponse) -> Bool {
        guard present(entry.stored)?.hasSameTimes(as: entry.stored) == true else { return false }
        var record = CacheFile.Record(stored: stored)
        var inline: Data?
        switch entry.body {
        case .data(let data): inline = data
        case .file(let file):
            (record.bodyName, record.bodyLength) = (file.name.fileName, file.length)
            record.bodyChecksum = file.checksum
        }
        guard let bytes = CacheFile.encode(record, body: inline), bytes.count <= largest else {
            remove(stored.key)
            return true
        }
        _ = write(bytes, for: stored, replacing: look(for: stored), keeping: record.bodyName)
        return true
    }

    /// Returns the response with the same key and variant as another one.
    package func present(_ stored: StoredResponse) -> StoredResponse? { look(for: stored).stored }

    private func look(for stored: StoredResponse) -> Present {
        let name = CacheName(hashing: stored.key)
        let found = read(name)?.record
        if stored.selectingNames.isEmpty { return Present(keyRecord: found, name: name, record: found) }
        guard let variants = found?.variants, variants.names == stored.selectingNames else {
            return Present(keyRecord: found)
        }
        let variant = Self.variantName(name, variants, (stored.key, stored.variant))
        return Present(keyRecord: found, name: variant, record: read(variant)?.record)
    }

    private func write(
        _ bytes: Data,
        for stored: StoredResponse,
        replacing present: Present,
        keeping bodyName: String? = nil
    ) -> Bool {
        let key = CacheName(hashing: stored.key)
        // Variants are never found again once the key's file is a response, or other fields distinguish them.
        if let old = present.keyRecord?.variants, present.name == nil || present.name == key {
            deleteSoon(old, of: key, keeping: bodyName)
        }
        if let name = present.name { return replace(name, bytes, old: present.record, keeping: bodyName) }
        let generation = UInt64.random(in: 0 ... .max).hexadecimal
        let variants = CacheFile.Variants(names: stored.selectingNames, generation: generation)
        guard let head = CacheFile.encode(CacheFile.Record(variants: variants), body: nil) else { return false }
        // The variant first, so that a reader who finds the key's file finds the variant too.
        let name = Self.variantName(key, variants, (stored.key, stored.variant))
        guard replace(name, bytes, old: nil, keeping: nil) else { return false }
        return replace(key, head, old: present.keyRecord, keeping: bodyName)
    }

    private func replace(_ name: CacheName, _ bytes: Data, old: CacheFile.Record?, keeping bodyName: String?) -> Bool {
        guard let part = CachePart(folder: self) else { return false }
        guard bytes.withUnsafeBytes({ part.write($0) }), part.publish(as: name) else { return false }
        if let body = old?.bodyName, body != bodyName, let name = CacheName(body) { delete(name) }
        return true
    }
}
