import Foundation

/// The bytes of generated bodies: byte `i` is `i * 31 + i / 256`, modulo 256.
///
/// The sequence repeats after 65,536 bytes, so one block serves bodies of any size from any offset.
enum Pattern {
    static let period = 65536

    /// The greatest number of bytes in a slice.
    static let sliceSize = 1 << 20

    private static let block: [UInt8] = {
        let unit = (0..<period).map { byte(at: $0) }
        var block: [UInt8] = []
        block.reserveCapacity(sliceSize + period)
        while block.count < sliceSize + period { block.append(contentsOf: unit) }
        return block
    }()

    static func byte(at index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: index &* 31 &+ (index >> 8))
    }

    /// Calls `body` with up to one mebibyte starting at `offset`, and returns its result.
    static func withSlice<Result>(
        offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try block.withUnsafeBytes { bytes in
            let start = offset & (period - 1)
            return try body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + min(max(count, 0), sliceSize)]))
        }
    }

    /// Calls `body` with all slices of the range, in order.
    static func forEachSlice(
        offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var position = offset
        var left = count
        while left > 0 {
            let used = try withSlice(offset: position, count: left) { slice in
                try body(slice)
                return slice.count
            }
            position &+= used
            left -= used
        }
    }

    static func data(count: Int, offset: Int) -> Data {
        var data = Data()
        guard count > 0 else { return data }
        data.reserveCapacity(count)
        forEachSlice(offset: offset, count: count) { data.append(contentsOf: $0) }
        return data
    }

    private static let digests = Locked<[Int: String]>([:])

    /// Returns the hash of the first `count` bytes, which is computed only once for each count.
    static func digest(count: Int) -> String {
        if let known = digests.withLock({ $0[count] }) { return known }
        var hash = SHA256()
        forEachSlice(offset: 0, count: count) { hash.update($0) }
        let digest = hash.hexDigest
        digests.withLock { $0[count] = digest }
        return digest
    }
}
