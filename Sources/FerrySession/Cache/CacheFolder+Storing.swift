/// Writes responses, each to a separate file that is then renamed.
extension CacheFolder {
    /// Stores a response and returns whether that was possible.
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

    /// Writes new metadata for a response whose body is kept.
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
