/// A hash of FIPS 180-4 of bytes that are added in pieces, needed since Foundation on Linux does not have one.
package struct BlockHash<State: BlockHashState>: Sendable {
    private var state = State()
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    /// Creates a hash to which no bytes have been added.
    package init() {}

    /// Adds bytes to the hash.
    package mutating func update(_ data: Data) { data.withUnsafeBytes { update($0) } }

    /// Adds bytes to the hash.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var rest = bytes
        if !pending.isEmpty {
            let missing = min(State.blockSize - pending.count, rest.count)
            pending.append(contentsOf: rest.prefix(missing))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(missing))
            guard pending.count == State.blockSize else { return }
            pending.withUnsafeBytes { state.compress($0) }
            pending.removeAll(keepingCapacity: true)
        }
        let whole = rest.count / State.blockSize * State.blockSize
        state.compress(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)))
        pending.append(contentsOf: rest.dropFirst(whole))
    }

    /// The hash of all bytes added so far; more bytes can be added afterwards.
    package var digest: [UInt8] {
        var last = self
        var padding: [UInt8] = [0x80]
        // The last eighth of a block is for the number of bits, of which 64 are enough.
        let end = State.blockSize - 8
        let used = (pending.count + 1) % State.blockSize
        let mayFit = used <= State.blockSize - State.blockSize / 8
        padding.append(contentsOf: repeatElement(0, count: mayFit ? end - used : State.blockSize + end - used))
        withUnsafeBytes(of: (length &* 8).bigEndian) { padding.append(contentsOf: $0) }
        padding.withUnsafeBytes { last.update($0) }
        return last.state.bytes
    }

    /// Returns the hash of `data`.
    package static func hash(_ data: Data) -> Data {
        var hash = Self()
        hash.update(data)
        return Data(hash.digest)
    }
}

/// The words of a hash, and the function that mixes blocks into them.
package protocol BlockHashState: Sendable {
    static var blockSize: Int { get }
    /// The words in big-endian order.
    var bytes: [UInt8] { get }

    init()
    /// Mixes whole blocks into the words.
    mutating func compress(_ blocks: UnsafeRawBufferPointer)
}
