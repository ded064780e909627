import Foundation

/// The SHA-256 hash (FIPS 180-4) of bytes added in pieces, needed since Foundation on Linux does not have one.
package struct SHA256Hash: Sendable {
    private var state = SHA256State()
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    /// Creates a hash to which no bytes have been added.
    package init() {}

    /// Adds bytes to the hash.
    package mutating func update(_ data: Data) {
        data.withUnsafeBytes { update($0) }
    }

    /// Adds bytes to the hash.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes
        if !pending.isEmpty {
            let missing = min(64 - pending.count, rest.count)
            pending.append(contentsOf: rest.prefix(missing))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
            guard pending.count == 64 else { return }
            pending.withUnsafeBytes { state.compress($0, blocks: 1) }
            pending.removeAll(keepingCapacity: true)
        }
        let blocks = rest.count / 64
        state.compress(rest, blocks: blocks)
        pending.append(contentsOf: rest.dropFirst(blocks * 64))
    }

    /// The hash of all bytes added so far, as 32 bytes; more bytes can be added afterwards.
    package var digest: [UInt8] {
        var last = self
        var padding: [UInt8] = [0x80]
        let used = (pending.count + 1) % 64
        padding.append(contentsOf: repeatElement(0, count: used <= 56 ? 56 - used : 120 - used))
        let bits = length &* 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padding.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        padding.withUnsafeBytes { last.update($0) }
        return last.state.bytes
    }

    /// Returns the hash of `data`, as 32 bytes.
    package static func hash(_ data: Data) -> Data {
        var hash = SHA256Hash()
        hash.update(data)
        return Data(hash.digest)
    }
}
