/// The format of the cache's small files: a record, followed by the body of the response if it is small.
///
/// Files are written under another name and renamed, so that a reader sees a complete file or none. A checksum detects
/// files that were only partly written when the system crashed.
package enum CacheFile {
    package typealias Contents = (record: Record, body: Data)

    /// The description of a file's contents.
    package struct Record: Codable, Hashable, Sendable {
        /// The response, in the file of a key without variants or of one variant.
        package var stored: StoredResponse?
        /// The fields that distinguish the variants of a key, in the file of the key.
        package var variants: Variants?
        /// The name of the file with the body, if the body is not in this file.
        package var bodyName: String?
        package var bodyLength = 0
        /// The checksum of the checksums of the body's blocks.
        package var bodyChecksum: UInt64 = 0
    }

    package struct Variants: Codable, Hashable, Sendable {
        package var names: [String]
        /// Determines the names of the variants' files, so that earlier variants are never found again.
        package var generation: String
    }

    /// The format's name, with its version in the last byte.
    private static let magic: [UInt8] = Array("FerryHC".utf8) + [1]
    private static let headSize = 24
    /// The maximum size of a file in this format, in bytes.
    package static let maximumSize = 4_194_304

    package static func encode(_ record: Record, body: Data?) -> Data? {
        guard let meta = try? JSONEncoder().encode(record) else { return nil }
        return seal(meta, body ?? Data())
    }

    /// Puts the format's name, the lengths and the checksum before a record and a body.
    package static func seal(_ meta: Data, _ body: Data) -> Data? {
        guard headSize + meta.count + body.count <= maximumSize else { return nil }
        var data = Data(magic)
        data.append(littleEndian: UInt32(meta.count))
        data.append(littleEndian: UInt32(body.count))
        data.append(littleEndian: ByteHash.of(meta, body))
        data.append(meta)
        data.append(body)
        return data
    }

    /// Decodes a file; `nil` if it is incomplete, damaged, forged, or of another format or version.
    package static func decode(_ data: Data) -> Contents? {
        let bytes = [UInt8](data.prefix(headSize))
        guard bytes.count == headSize, bytes.starts(with: magic) else { return nil }
        let (metaLength, bodyLength) = (Int(number(bytes[8..<12])), Int(number(bytes[12..<16])))
        guard data.count == headSize + metaLength + bodyLength else { return nil }
        let meta = data.dropFirst(headSize).prefix(metaLength)
        let body = data.dropFirst(headSize + metaLength)
        guard ByteHash.of(meta, body) == number(bytes[16..<24]),
            let record = try? JSONDecoder().decode(Record.self, from: meta), record.isValid
        else { return nil }
        return (record, Data(body))
    }

    /// Whether a file is a regular file of this user; others are never read.
    package static func isOurs(_ info: stat) -> Bool { info.st_mode & S_IFMT == S_IFREG && info.st_uid == geteuid() }

    /// Opens a file of this user; `nil` if there is none that may be read.
    package static func open(_ path: String) -> (file: RegularFile, info: stat)? {
        guard let file = try? RegularFile(reading: path, links: .refuse), let info = try? file.status(), isOurs(info)
        else { return nil }
        return (file, info)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Data {
    /// Appends the bytes of a number, beginning with the lowest.
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

// MARK: - Checking

// The contents of cache files are untrusted input: another program may have written them.

extension CacheFile.Record {
    /// Whether Ferry may have written the record.
    package var isValid: Bool {
        guard (stored == nil) != (variants == nil), stored?.isValid ?? variants?.isValid ?? false else { return false }
        guard let bodyName else { return bodyLength == 0 }
        // Otherwise another file of the cache could be read or deleted as a body.
        return bodyLength >= 0 && CacheName(bodyName)?.kind == .body && variants == nil
    }
}

extension CacheFile.Variants {
    fileprivate var isValid: Bool {
        guard !names.isEmpty, names.allSatisfy(HeaderRule.isToken) else { return false }
        return generation.utf8.count == 16 && UInt64(generation, radix: 16)?.hexadecimal == generation
    }
}

extension StoredResponse {
    /// From 1970 to the end of the year 9999: the dates that HTTP can express, with which arithmetic stays finite.
    private static let times = 0.0...253_402_300_799

    fileprivate var isValid: Bool {
        guard head.version.hasPrefix("HTTP/"), HeaderRule.isValue(head.version), (200...599).contains(head.status),
            head.fields.allSatisfy({ !$0.name.isEmpty && HeaderRule.isValue($0.name) && HeaderRule.isValue($0.value) }),
            Self.times.contains(requestTime.timeIntervalSince1970),
            Self.times.contains(responseTime.timeIntervalSince1970)
        else { return false }
        return selectingNames.allSatisfy(HeaderRule.isToken)
    }
}
