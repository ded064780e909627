extension CodingUserInfoKey {
    /// The greatest number of entries to read, an `Int`.
    static let entryLimit = CodingUserInfoKey(rawValue: "FerryTesting.entryLimit")
}

// Programs leave out fields that the specification requires, write null for them, or fractions for numbers of bytes.
// Only what is needed to match and replay a request is required.

extension HTTPArchive: Codable {
    private enum DocumentKeys: String, CodingKey { case log }
    private enum Keys: String, CodingKey { case version, creator, entries, comment }

    /// Reads an archive.
    ///
    /// - Throws: ``HTTPArchiveError`` or a `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let log = try decoder.container(keyedBy: DocumentKeys.self).nestedContainer(keyedBy: Keys.self, forKey: .log)
        version = log.text(.version) ?? "1.1"
        guard version.isEmpty || version == "1" || version.hasPrefix("1.") else {
            throw HTTPArchiveError.unsupportedVersion(version)
        }
        creator = (try? log.decode(Creator.self, forKey: .creator)) ?? Creator(name: "", version: "")
        comment = log.text(.comment)
        let limit = CodingUserInfoKey.entryLimit.flatMap { decoder.userInfo[$0] as? Int } ?? Limits().entries
        var list = try log.nestedUnkeyedContainer(forKey: .entries)
        entries = []
        while !list.isAtEnd {
            guard entries.count < limit else { throw HTTPArchiveError.tooManyEntries(limit: limit) }
            entries.append(try list.decode(Entry.self))
        }
    }

    /// Writes the archive.
    public func encode(to encoder: any Encoder) throws {
        var document = encoder.container(keyedBy: DocumentKeys.self)
        var log = document.nestedContainer(keyedBy: Keys.self, forKey: .log)
        try log.encode(version, forKey: .version)
        try log.encode(creator, forKey: .creator)
        try log.encode(entries, forKey: .entries)
        try log.encodeIfPresent(comment, forKey: .comment)
    }
}

extension KeyedDecodingContainer {
    /// Returns a text; nil if there is none.
    func text(_ key: Key) -> String? { try? decode(String.self, forKey: key) }

    /// Returns a finite number; nil if there is none.
    func number(_ key: Key) -> Double? {
        guard let number = try? decode(Double.self, forKey: key), number.isFinite else { return nil }
        return number
    }

    /// Returns an integer, rounded if it is written as a fraction; nil if there is none in the range of `Int`.
    func count(_ key: Key) -> Int? {
        if let count = try? decode(Int.self, forKey: key) { return count }
        return number(key).flatMap { Int(exactly: $0.rounded()) }
    }

    /// Returns a list; empty if there is none, or an element is not valid.
    func list<Element: Decodable>(_ key: Key) -> [Element] {
        (try? decode([Element].self, forKey: key)) ?? []
    }
}
