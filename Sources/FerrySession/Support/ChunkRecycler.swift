/// Reuses the memory of one delivered piece of a body for the next.
///
/// Fresh memory costs as much as moving the bytes, because the kernel clears every page of it. The recycler lives as
/// long as the task or any of its pieces, and then frees the memory it keeps.
final class ChunkRecycler: Sendable {
    private struct Spare: ~Copyable, @unchecked Sendable {
        // `@unchecked Sendable`: the memory is owned by the piece that uses it, and in between by the recycler.
        var base: UnsafeMutableRawPointer?
        var capacity = 0

        deinit { free(base) }
    }

    private let spare = Mutex(Spare())

    /// Removes and returns the spare memory, if any.
    func take() -> (base: UnsafeMutableRawPointer, capacity: Int)? {
        let address = spare.withLock { spare -> (UInt, Int)? in
            guard let base = spare.base else { return nil }
            spare.base = nil
            return (UInt(bitPattern: base), spare.capacity)
        }
        guard let address, let base = UnsafeMutableRawPointer(bitPattern: address.0) else { return nil }
        return (base, address.1)
    }

    /// Keeps memory for reuse, or frees it if there is a spare already.
    func give(_ base: UnsafeMutableRawPointer, capacity: Int) {
        let address = UInt(bitPattern: base)
        let isKept = spare.withLock { spare -> Bool in
            guard spare.base == nil else { return false }
            spare.base = UnsafeMutableRawPointer(bitPattern: address)
            spare.capacity = capacity
            return true
        }
        if !isKept { free(base) }
    }

    /// Returns the bytes as `Data` whose memory is given back when it is released.
    func data(_ base: UnsafeMutableRawPointer, count: Int, capacity: Int) -> Data {
        Data(
            bytesNoCopy: base,
            count: count,
            deallocator: .custom { [self] base, _ in give(base, capacity: capacity) }
        )
    }
}
