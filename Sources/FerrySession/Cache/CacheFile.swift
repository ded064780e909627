/// The format of the cache's small files: a record, followed by the body of the response if it is small.
///
/// Files are written under another name and renamed, so that a reader sees a complete file or none. A checksum detects
/// files that were only partly written when the system crashed.
enum CacheFile {
    /// The contents of a file.
    struct Record: Codable, Hashable, Sendable {
        /// The response, in the file of a key without variants or of one variant.
        var stored: StoredResponse?
        /// How the variants of a key are distinguished, in the file of the key.
        var variants: Variants?
        /// The file with the body, if the body is not in this file.
        var bodyName: String?
        var bodyLength = 0
        var bodyChecksum: UInt64 = 0
    }

    struct Variants: Codable, Hashable, Sendable {
        var names: [String]
        /// Part of the variants' file names, so that variants of an earlier generation are never found again.
        var generation: String
    }

    /// The format's name, with its version in the last byte.
    private static let magic: [UInt8] = Array("FerryHC".utf8) + [1]
    private static let headSize = 24
    /// The maximum size of a file in this format, in bytes.
    static let mostBytes = 4_194_304

    static func encode(_ record: Record, body: Data?) -> Data? {
        guard let meta = try? JSONEncoder().encode(record) else { return nil }
        return seal(meta, body ?? Data())
    }

    /// Puts the format's name, the lengths and the checksum before a record and a body.
    static func seal(_ meta: Data, _ body: Data) -> Data? {
        guard headSize + meta.count + body.count <= mostBytes else { return nil }
        var data = Data(magic)
        append(UInt32(meta.count), to: &data)
        append(UInt32(body.count), to: &data)
        append(checksum(meta, body), to: &data)
        data.append(meta)
        data.append(body)
        return data
    }

    /// Decodes a file; `nil` if it is incomplete, damaged, forged, or of another format or version.
    static func decode(_ data: Data) -> (record: Record, body: Data)? {
        let bytes = [UInt8](data.prefix(headSize))
        guard bytes.count == headSize, Array(bytes[..<8]) == magic else { return nil }
        let (metaLength, bodyLength) = (Int(number(bytes[8..<12])), Int(number(bytes[12..<16])))
        guard data.count == headSize + metaLength + bodyLength else { return nil }
        let meta = data.dropFirst(headSize).prefix(metaLength)
        let body = data.dropFirst(headSize + metaLength)
        guard checksum(meta, body) == number(bytes[16..<24]) else { return nil }
        guard let record = try? JSONDecoder().decode(Record.self, from: meta), record.flaw == nil else { return nil }
        return (record, Data(body))
    }

    /// Whether a file is a regular file of this user; others are never read.
    static func isOurs(_ info: stat) -> Bool {
        info.st_mode & S_IFMT == S_IFREG && info.st_uid == geteuid()
    }

    /// Opens a file of this user and updates its time of use; `nil` if there is none that may be read.
    static func open(_ path: String) -> RegularFile? {
        guard let file = try? RegularFile(reading: path, links: .refuse), let info = try? file.status(), isOurs(info)
        else { return nil }
        // The time determines the order of eviction, for which a precision of a minute is enough.
        if time(nil) - info.st_mtim.tv_sec > 60 { file.touch() }
        return file
    }

    private static func checksum(_ meta: Data, _ body: Data) -> UInt64 {
        var sum = CacheChecksum()
        meta.withUnsafeBytes { sum.update($0) }
        body.withUnsafeBytes { sum.update($0) }
        return sum.value
    }

    private static func append(_ number: some FixedWidthInteger, to data: inout Data) {
        withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
