/// A hash that detects accidental corruption; it is not cryptographic, and unlike `Hasher` the same in every process.
///
/// It processes eight bytes at a time, similar to FNV-1a.
package struct ByteHash: Hashable, Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325
    private var pending: UInt64 = 0
    private var pendingCount: UInt64 = 0
    private var count: UInt64 = 0

    package init() {}

    package var value: UInt64 { Self.mix(Self.mix(state, pending), count) }

    package static func of(_ data: Data, _ rest: Data = Data()) -> UInt64 {
        var sum = ByteHash()
        data.withUnsafeBytes { sum.update($0) }
        rest.withUnsafeBytes { sum.update($0) }
        return sum.value
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
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
