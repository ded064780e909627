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

    static func byte(at index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 31 &+ (index >> 8)) }

    /// Calls `body` with slices of up to one mebibyte, in order, while it returns `true`; returns its last result.
    @discardableResult
    static func allSlices(offset: Int, count: Int, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var position = offset
        var left = count
        while left > 0 {
            let size = min(left, sliceSize)
            let isWanted = block.withUnsafeBytes { bytes in
                let start = position & (period - 1)
                return body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + size]))
            }
            guard isWanted else { return false }
            position &+= size
            left -= size
        }
        return true
    }

    static func data(count: Int, offset: Int) -> Data {
        var data = Data()
        guard count > 0 else { return data }
        data.reserveCapacity(count)
        allSlices(offset: offset, count: count) { slice in
            data.append(contentsOf: slice)
            return true
        }
        return data
    }

    private static let digests = Mutex<[Int: String]>([:])

    /// Returns the hash of the first `count` bytes, which is computed only once for each count.
    static func digest(count: Int) -> String {
        if let known = digests.withLock({ $0[count] }) { return known }
        var hash = SHA256Hash()
        allSlices(offset: 0, count: count) { slice in
            hash.update(slice)
            return true
        }
        let digest = hash.digest.hexadecimal
        digests.withLock { $0[count] = digest }
        return digest
    }
}
