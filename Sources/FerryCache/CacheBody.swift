/// The body of a stored response.
package enum CacheBody: Sendable {
    case data(Data)
    case file(CacheBodyFile)

    /// The length in bytes.
    package var length: Int {
        switch self {
        case .data(let data): data.count
        case .file(let file): file.length
        }
    }
}

/// The open file of a stored body, which can be read to its end even if it is renamed or deleted.
///
/// The body is followed by a checksum for each of its blocks, so that no damaged byte is delivered.
package final class CacheBodyFile: Sendable {
    /// The size of a block in bytes.
    package static let blockSize = 65_536

    package let name: CacheName
    package let length: Int
    /// The checksum of the blocks' checksums.
    package let checksum: UInt64
    private let file: RegularFile
    private let blockChecksums: Data

    /// Makes a body from a file; `nil` if its length or checksums are wrong, or its first block is damaged.
    package init?(_ file: RegularFile, _ name: CacheName, length: Int, checksum: UInt64) {
        let (end, isTooLong) = Int64(length).addingReportingOverflow(Int64(Self.blockSize))
        guard length >= 0, !isTooLong, let size = try? file.size(),
            size - Int64(length) == (end - 1) / Int64(Self.blockSize) * 8,
            let checksums = try? file.read(Int64(length)..<size), ByteHash.of(checksums) == checksum
        else { return nil }
        (self.file, self.name, self.length, self.checksum, blockChecksums) = (file, name, length, checksum, checksums)
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 16)
        defer { block.deallocate() }
        guard length == 0 || readBlock(at: 0, into: block) != nil else { return nil }
    }

    /// Reads the block that begins at an offset; `nil` if it is damaged or cannot be read.
    package func readBlock(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
        let wanted = min(Self.blockSize, length - offset)
        let place = offset / Self.blockSize * 8
        guard wanted > 0, buffer.count >= wanted, blockChecksums.count >= place + 8 else { return nil }
        var count = 0
        while count < wanted {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<wanted])
            guard let next = try? file.read(into: rest, at: Int64(offset + count)), next > 0 else { return nil }
            count += next
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<wanted])
        var sum = ByteHash()
        sum.update(bytes)
        let expected = blockChecksums.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
        return sum.value == UInt64(littleEndian: expected) ? bytes : nil
    }
}

/// Reads a stored body, or a part of it, piece by piece, and detects damage before a piece is used.
package final class CacheBodyReader {
    package enum Piece {
        case bytes(UnsafeRawBufferPointer)
        case end
        case damaged
    }

    private let body: CacheBody
    private let part: Range<Int>
    private var offset: Int

    /// Makes a reader for a body, or for the given part of it.
    package init(_ body: CacheBody, part: Range<Int>? = nil) {
        self.body = body
        self.part = (part ?? 0..<body.length).clamped(to: 0..<body.length)
        offset = self.part.lowerBound
    }

    /// Calls `use` with the next piece, whose bytes are in `scratch`, which has room for a block, or in the body
    /// itself.
    package func next<Result>(scratch: UnsafeMutableRawBufferPointer, _ use: (Piece) -> Result) -> Result {
        guard offset < part.upperBound else { return use(.end) }
        let size = CacheBodyFile.blockSize
        let block = offset / size * size
        let wanted = offset..<min(block + size, part.upperBound)
        switch body {
        case .data(let data):
            offset = wanted.upperBound
            return data.withUnsafeBytes { use(.bytes(UnsafeRawBufferPointer(rebasing: $0[wanted]))) }
        case .file(let file):
            guard let bytes = file.readBlock(at: block, into: scratch) else { return use(.damaged) }
            offset = wanted.upperBound
            let slice = bytes[(wanted.lowerBound - block)..<(wanted.upperBound - block)]
            return use(.bytes(UnsafeRawBufferPointer(rebasing: slice)))
        }
    }
}
