internal import FerryDigest

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

    struct Usage {
        /// The size of all files as far as this process knows, or `nil` before it has looked.
        var total: Int?
        var storesSinceLook = 0
        var isLooking = false
    }

    let url: URL
    let capacity: Int
    let usage = Mutex(Usage())

    init(url: URL, capacity: Int) {
        self.url = url
        self.capacity = capacity
    }

    /// The size of the largest response that is stored.
    var largest: Int { capacity / HTTPCache.leastResponses }

    func path(_ name: String) -> String { url.path + "/" + name }

    // MARK: - Finding

    /// The number of hexadecimal digits that identify a generation of variants.
    static let generationLength = 16

    static func keyName(_ key: String) -> String { hex(key, bytes: 16) }

    static func variantName(_ keyName: String, _ generation: String, _ variant: String) -> String {
        keyName + "-" + generation + "-" + hex(variant, bytes: 8)
    }

    static func hex(_ text: String, bytes: Int) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let hash = SHA256Hash.hash(Data(text.utf8)).prefix(bytes)
        let pairs = hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: pairs, as: UTF8.self)
    }

    /// Returns the stored response for a request whose header lines are `lines`.
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
        // Digests could collide, if someone made an effort.
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

    /// Reads a small file, and removes it if it is malformed.
    func read(_ name: String) -> (record: CacheFile.Record, body: Data)? {
        guard let file = CacheFile.open(path(name + Self.entrySuffix)) else { return nil }
        guard let data = try? file.read(upToCount: CacheFile.mostBytes + 1), let found = CacheFile.decode(data) else {
            delete(name + Self.entrySuffix)
            return nil
        }
        return found
    }

    // MARK: - Removing

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
        let isOurs = [entrySuffix, bodySuffix, partSuffix].contains(String(name[dot...]))
        return isOurs
            && name[..<dot].utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
                    || byte == 0x2D
            }
    }
}
