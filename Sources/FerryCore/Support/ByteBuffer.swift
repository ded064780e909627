/// A buffer that grows in place and can be converted to `Data` without a copy.
///
/// `@unchecked Sendable`: it cannot be copied, so one thread or lock owns the memory at a time.
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    package private(set) var count = 0
    private var recycler: ChunkRecycler?

    package init() {}

    deinit { free(base) }

    package var isEmpty: Bool { count == 0 }

    /// Reserves room for `size` bytes in total, and returns whether there was enough memory.
    package mutating func reserve(_ size: Int) -> Bool {
        guard size > capacity else { return true }
        guard let grown = realloc(base, size) else { return false }
        base = grown
        capacity = size
        return true
    }

    /// Appends bytes, and returns whether there was enough memory.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return true }
        let needed = count + bytes.count
        if capacity == 0, let spare = recycler?.take() { (base, capacity) = spare }
        if needed > capacity {
            // The first piece gets exactly its size, because most bodies are one piece.
            guard reserve(capacity == 0 ? needed : max(needed, capacity * 2)) else { return false }
        }
        base?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
        count = needed
        return true
    }

    /// Removes and returns all bytes as one of many pieces, whose memory is reused once the piece is released.
    ///
    /// A piece that fills less than half of the memory is copied, so that retaining it does not retain much more.
    package mutating func takePiece() -> Data {
        let large = 262_144
        guard capacity >= large, let bytes = base, count > 0 else { return takeData() }
        guard count * 2 >= capacity else {
            defer { count = 0 }
            return Data(bytes: bytes, count: count)
        }
        let recycler = recycler ?? ChunkRecycler()
        self.recycler = recycler
        let data = recycler.data(bytes, count: count, capacity: capacity)
        (base, capacity, count) = (nil, 0, 0)
        return data
    }

    package mutating func takeData() -> Data {
        guard let bytes = base, count > 0 else { return Data() }
        defer {
            base = nil
            capacity = 0
            count = 0
        }
        // A small `Data` has a separate allocation anyway, and copying is cheaper than a deallocator closure.
        if count <= 4096 {
            defer { free(bytes) }
            return Data(bytes: bytes, count: count)
        }
        if capacity > count + count / 4, let shrunk = realloc(bytes, count) {
            return Data(bytesNoCopy: shrunk, count: count, deallocator: .free)
        }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}

/// Reuses the memory of one delivered piece of a body for the next.
///
/// Fresh memory costs as much as moving the bytes, because the kernel clears every page of it. The recycler lives as
/// long as the task or any of its pieces, and then frees the memory it keeps.
package final class ChunkRecycler: Sendable {
    private struct Spare: ~Copyable, @unchecked Sendable {
        // `@unchecked Sendable`: the memory is owned by the piece that uses it, and in between by the recycler.
        package var base: UnsafeMutableRawPointer?
        package var capacity = 0

        deinit { free(base) }
    }

    private let spare = Mutex(Spare())

    package func take() -> (base: UnsafeMutableRawPointer, capacity: Int)? {
        let address = spare.withLock { spare -> (UInt, Int)? in
            guard let base = spare.base else { return nil }
            spare.base = nil
            return (UInt(bitPattern: base), spare.capacity)
        }
        guard let address, let base = UnsafeMutableRawPointer(bitPattern: address.0) else { return nil }
        return (base, address.1)
    }

    /// Keeps memory for reuse, or frees it if there is a spare already.
    package func give(_ base: UnsafeMutableRawPointer, capacity: Int) {
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
    package func data(_ base: UnsafeMutableRawPointer, count: Int, capacity: Int) -> Data {
        Data(bytesNoCopy: base, count: count, deallocator: .custom { [self] base, _ in give(base, capacity: capacity) })
    }
}
