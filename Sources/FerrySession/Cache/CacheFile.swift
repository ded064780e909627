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
        guard bytes.count == headSize, bytes.starts(with: magic) else { return nil }
        let (metaLength, bodyLength) = (Int(number(bytes[8..<12])), Int(number(bytes[12..<16])))
        guard data.count == headSize + metaLength + bodyLength else { return nil }
        let meta = data.dropFirst(headSize).prefix(metaLength)
        let body = data.dropFirst(headSize + metaLength)
        guard checksum(meta, body) == number(bytes[16..<24]),
            let record = try? JSONDecoder().decode(Record.self, from: meta), record.flaw == nil
        else { return nil }
        return (record, Data(body))
    }

    /// Whether a file is a regular file of this user; others are never read.
    static func isOurs(_ info: stat) -> Bool { info.st_mode & S_IFMT == S_IFREG && info.st_uid == geteuid() }

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

// MARK: - Checking

// The contents of cache files are untrusted input: another program may have written them.

extension CacheFile.Record {
    /// The first field with a value that Ferry never writes, or `nil` if the record is valid.
    var flaw: String? {
        guard (stored == nil) != (variants == nil) else { return "stored" }
        if let flaw = stored?.flaw ?? variants?.flaw { return flaw }
        guard bodyLength >= 0, bodyName != nil || bodyLength == 0 else { return "bodyLength" }
        guard let bodyName else { return nil }
        // Otherwise another file of the cache could be read or deleted as a body.
        let isBody = bodyName.hasSuffix(CacheFolder.bodySuffix) && CacheFolder.isName(bodyName)
        return isBody && variants == nil ? nil : "bodyName"
    }
}

extension CacheFile.Variants {
    var flaw: String? {
        guard !names.isEmpty, names.allSatisfy(HeaderRule.isToken) else { return "names" }
        // It becomes part of a file's name.
        let isName =
            generation.utf8.count == CacheFolder.generationLength
            && generation.utf8.allSatisfy { $0.isDigit || (0x61...0x66).contains($0) }
        return isName ? nil : "generation"
    }
}

extension StoredResponse {
    /// From 1970 to the end of the year 9999: the dates that HTTP can express, with which arithmetic stays finite.
    private static let times = 0.0...253_402_300_799

    var flaw: String? {
        guard head.version.hasPrefix("HTTP/"), HeaderRule.isValue(head.version) else { return "version" }
        guard (200...599).contains(head.status) else { return "status" }
        guard
            head.fields.allSatisfy({ !$0.name.isEmpty && HeaderRule.isValue($0.name) && HeaderRule.isValue($0.value) })
        else { return "fields" }
        guard Self.times.contains(requestTime.timeIntervalSince1970) else { return "requestTime" }
        guard Self.times.contains(responseTime.timeIntervalSince1970) else { return "responseTime" }
        return selectingNames.allSatisfy(HeaderRule.isToken) ? nil : "selectingNames"
    }
}

/// Detects accidental corruption of a file; it is not cryptographic.
///
/// It processes eight bytes at a time, similar to FNV-1a.
struct CacheChecksum: Hashable, Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325
    private var pending: UInt64 = 0
    private var pendingCount: UInt64 = 0
    private var count: UInt64 = 0

    var value: UInt64 { Self.mix(Self.mix(state, pending), count) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var index = 0
        while pendingCount > 0, index < bytes.count {
            add(bytes[index])
            index += 1
        }
        var sum = state
        while index + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            sum = Self.mix(sum, word)
            index += 8
        }
        state = sum
        while index < bytes.count {
            add(bytes[index])
            index += 1
        }
    }

    private mutating func add(_ byte: UInt8) {
        pending |= UInt64(byte) << (8 * pendingCount)
        pendingCount += 1
        guard pendingCount == 8 else { return }
        state = Self.mix(state, pending)
        (pending, pendingCount) = (0, 0)
    }

    private static func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* 0x0000_0100_0000_01B3
        return product ^ product >> 29
    }
}
