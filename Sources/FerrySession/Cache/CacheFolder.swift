/// The cache's files: one small file for each response, a second one for a body that is not small.
///
/// Sessions and processes may share a folder: a file appears and goes as a whole, a file that is gone is a miss, and
/// one that makes no sense is removed. Files of other names are let alone.
final class CacheFolder: Sendable {
    /// The largest body that lies in the response's own file, and so in memory, too.
    static let largestInline = 65_536

    static let entrySuffix = ".ferry-response"
    static let bodySuffix = ".ferry-body"
    static let partSuffix = ".ferry-part"

    private struct Usage {
        /// The bytes of all files, as far as this process knows; `nil` before it has looked.
        var total: Int?
        var storesSinceLook = 0
        var isLooking = false
    }

    let url: URL
    let capacity: Int
    private let usage = Mutex(Usage())

    init(url: URL, capacity: Int) {
        self.url = url
        self.capacity = capacity
    }

    /// The largest response that is stored.
    var largest: Int { capacity / HTTPCache.leastResponses }

    func path(_ name: String) -> String { url.path + "/" + name }

    // MARK: - Finding

    private static func keyName(_ key: String) -> String { hex(key, bytes: 16) }

    private static func variantName(_ keyName: String, _ generation: String, _ variant: String) -> String {
        keyName + "-" + generation + "-" + hex(variant, bytes: 8)
    }

    private static func hex(_ text: String, bytes: Int) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let pairs = SHA256.hash(Data(text.utf8)).prefix(bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: pairs, as: UTF8.self)
    }

    /// The stored response for a request whose fields are `lines`.
    func find(_ key: String, lines: [String]) -> CacheEntry? {
        let name = Self.keyName(key)
        guard let (record, body) = read(name) else { return nil }
        if let variants = record.variants {
            let variant = CacheKey.variant(variants.names, lines: lines)
            let variantName = Self.variantName(name, variants.generation, variant)
            guard let (record, body) = read(variantName) else { return nil }
            return entry(record, body, key: key, variant: variant, name: variantName)
        }
        return entry(record, body, key: key, variant: "", name: name)
    }

    private func entry(
        _ record: CacheFile.Record,
        _ body: Data,
        key: String,
        variant: String,
        name: String
    ) -> CacheEntry? {
        // Digests may collide, if anybody works hard for it.
        guard let stored = record.stored, stored.key == key, stored.variant == variant else { return nil }
        guard let bodyName = record.bodyName else { return CacheEntry(stored, body: .data(body)) }
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

    /// Reads a small file; one that makes no sense is removed.
    private func read(_ name: String) -> (record: CacheFile.Record, body: Data)? {
        let descriptor = path(name + Self.entrySuffix).withCString { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { Posix.closeFile(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, CacheFile.isOurs(info) else { return nil }
        guard info.st_size <= CacheFile.mostBytes,
            let data = Self.contents(descriptor, size: Int(info.st_size)),
            let found = CacheFile.decode(data)
        else {
            delete(name + Self.entrySuffix)
            return nil
        }
        CacheFile.touch(descriptor, info)
        return found
    }

    private static func contents(_ descriptor: Int32, size: Int) -> Data? {
        var data = Data(count: size)
        let count = data.withUnsafeMutableBytes { buffer -> Int in
            var filled = 0
            while filled < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count = pread(descriptor, rest.baseAddress, rest.count, off_t(filled))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                filled += count
            }
            return filled
        }
        return count == size ? data : nil
    }

    // MARK: - Storing

    /// Stores a response, and answers whether it could.
    @discardableResult
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

    /// Writes new metadata for a response whose body stays.
    func update(_ entry: CacheEntry, to stored: StoredResponse) {
        var record = CacheFile.Record(stored: stored)
        var inline: Data?
        switch entry.body {
        case .data(let data): inline = data
        case .file(let file):
            (record.bodyName, record.bodyLength, record.bodyChecksum) = (file.name, file.length, file.checksum)
        }
        guard let bytes = CacheFile.encode(record, body: inline), bytes.count <= largest else { return }
        write(bytes, for: stored, keeping: record.bodyName)
    }

    @discardableResult
    private func write(_ bytes: Data, for stored: StoredResponse, keeping bodyName: String? = nil) -> Bool {
        let keyName = Self.keyName(stored.key)
        let old = read(keyName)?.record
        guard !stored.selectingNames.isEmpty else {
            return replace(keyName, bytes, old: old, keeping: bodyName)
        }
        if let variants = old?.variants, variants.names == stored.selectingNames {
            let name = Self.variantName(keyName, variants.generation, stored.variant)
            return replace(name, bytes, old: read(name)?.record, keeping: bodyName)
        }
        let generation = Self.hex(UUID().uuidString, bytes: 8)
        let variants = CacheFile.Variants(names: stored.selectingNames, generation: generation)
        guard let head = CacheFile.encode(CacheFile.Record(variants: variants), body: nil) else { return false }
        // The variant first: whoever finds the key's file finds it, too.
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

    // MARK: - Removing

    /// Removes all responses of a key; variants are never found again.
    func remove(_ key: String) {
        let name = Self.keyName(key)
        if let body = read(name)?.record.bodyName { delete(body) }
        delete(name + Self.entrySuffix)
    }

    func removeAll() {
        for file in files() { delete(file.name) }
        usage.withLock { $0.total = 0 }
    }

    func delete(_ name: String) {
        guard Self.isName(name) else { return }
        unlink(path(name))
    }

    /// Whether a name is one that this type gives: no other file is ever touched.
    private static func isName(_ name: String) -> Bool {
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return false }
        let isOurs = [entrySuffix, bodySuffix, partSuffix].contains(String(name[dot...]))
        return isOurs
            && name[..<dot].utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
                    || byte == 0x2D
            }
    }

    // MARK: - Eviction

    private struct File {
        var name: String
        var size: Int
        var used: timespec
    }

    /// The bytes of all files now.
    var size: Int { files().reduce(0) { $0 + $1.size } }

    private func files() -> [File] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter(Self.isName).compactMap { name in
            var info = stat()
            guard lstat(path(name), &info) == 0, CacheFile.isOurs(info) else { return nil }
            return File(name: name, size: Int(info.st_size), used: info.st_mtim)
        }
    }

    /// Counts what was stored, and makes room when there is too much; now and then it looks what others have stored.
    private func note(_ count: Int) {
        let looksAfter = 64
        let mustLook = usage.withLock { usage -> Bool in
            usage.storesSinceLook += 1
            usage.total = usage.total.map { $0 + count }
            let isDue = usage.total.map { $0 > capacity } ?? true || usage.storesSinceLook >= looksAfter
            guard isDue, !usage.isLooking else { return false }
            usage.isLooking = true
            return true
        }
        guard mustLook else { return }
        let total = evict()
        usage.withLock { $0 = Usage(total: total) }
    }

    /// Removes leftovers of crashes, and the responses that were not used for longest.
    private func evict() -> Int {
        let now = time(nil)
        let hour = 3600
        var kept: [File] = []
        for file in files() {
            if file.name.hasSuffix(Self.partSuffix), now - file.used.tv_sec > hour {
                delete(file.name)
            } else {
                kept.append(file)
            }
        }
        var total = kept.reduce(0) { $0 + $1.size }
        guard total > capacity else { return total }
        kept.sort { ($0.used.tv_sec, $0.used.tv_nsec) < ($1.used.tv_sec, $1.used.tv_nsec) }
        // Some room more than needed, so that not every response has to look.
        for file in kept where !file.name.hasSuffix(Self.partSuffix) {
            guard total > capacity - capacity / 8 else { break }
            delete(file.name)
            total -= file.size
        }
        return total
    }
}
