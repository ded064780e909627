/// The format of the index: a head of 64 bytes, and records of 32 bytes, each with a checksum.
extension CacheIndex {
    /// The beginning of the index.
    package struct Head: Hashable {
        package static let size = 64
        private static let magic: [UInt8] = Array("FerryHI".utf8) + [1]

        /// The positions of the first record, and after the last.
        package var first = Int64(Head.size)
        package var end = Int64(Head.size)
        /// The size of all files in bytes, and their number.
        package var total: Int64 = 0
        package var count: Int64 = 0
        /// Zero, or the position after which records are newer than the rebuild that is due or running.
        package var rebuildMark: Int64 = 0
        package var boot = CacheIndex.boot

        package init() {}

        /// Reads a head; `nil` if it is damaged or does not fit the size of the file.
        package init?(_ bytes: Data, fileSize: Int64) {
            guard bytes.count == Self.size, bytes.starts(with: Self.magic) else { return nil }
            let words = CacheIndex.words(bytes)
            guard ByteHash.of(bytes.prefix(56)) == words[7] else { return nil }
            (first, end, total) = (Int64(clamping: words[1]), Int64(clamping: words[2]), Int64(clamping: words[3]))
            (count, rebuildMark, boot) = (Int64(clamping: words[4]), Int64(clamping: words[5]), words[6])
            guard first >= Self.size, end >= first, end <= fileSize, rebuildMark <= end,
                (end - first) % Int64(Record.size) == 0
            else { return nil }
        }

        package var bytes: Data {
            var data = Data(Self.magic)
            for number in [first, end, total, count, rebuildMark] { data.append(littleEndian: UInt64(number)) }
            data.append(littleEndian: boot)
            data.append(littleEndian: ByteHash.of(data))
            return data
        }

        /// Whether the records must be made again from the files: most of them are ignored, or they are incomplete.
        package func needsRebuild(capacity: Int) -> Bool {
            let records = (end - Int64(Self.size)) / Int64(Record.size)
            let isLong = records / 2 - 4096 > count
            return rebuildMark > 0 || isLong || (total > capacity && first == end)
        }

        /// Notes that the size of a file has changed, where `nil` means that there is no file.
        package mutating func note(from old: Int64?, to new: Int64?) {
            count = max(0, count &+ (new == nil ? 0 : 1) &- (old == nil ? 0 : 1))
            let (sum, isTooLarge) = total.addingReportingOverflow(new ?? 0)
            total = max(0, (isTooLarge ? .max : sum) - (old ?? 0))
        }
    }

    /// The use of a file.
    package struct Record: Hashable {
        package static let size = 32

        package var name: CacheName
        /// The time in nanoseconds since 1970; the file's time of modification is not later.
        package var time: Int64

        package init(_ name: CacheName, time: Int64 = CacheIndex.now) { (self.name, self.time) = (name, time) }

        package init?(_ bytes: Data) {
            let words = CacheIndex.words(bytes)
            guard words.count == 4, bytes.count == Self.size, ByteHash.of(bytes.prefix(25)) >> 8 == words[3] >> 8,
                let kind = CacheName.Kind(rawValue: UInt8(truncatingIfNeeded: words[3]))
            else { return nil }
            name = CacheName(high: words[0], low: words[1], kind: kind)
            time = Int64(truncatingIfNeeded: words[2])
        }

        package var bytes: Data {
            var data = Data(capacity: Self.size)
            for word in [name.high, name.low, UInt64(bitPattern: time)] { data.append(littleEndian: word) }
            let check = ByteHash.of(data + [name.kind.rawValue])
            data.append(littleEndian: check & ~0xFF | UInt64(name.kind.rawValue))
            return data
        }
    }

    fileprivate static func words(_ bytes: Data) -> [UInt64] {
        bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
    }
}
