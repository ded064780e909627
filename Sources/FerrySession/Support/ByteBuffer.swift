/// Bytes that grow in place and become `Data` without a copy.
///
/// `@unchecked Sendable`: it cannot be copied, so one thread or lock owns the memory at a time.
struct ByteBuffer: ~Copyable, @unchecked Sendable {
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private(set) var count = 0
    private var recycler: ChunkRecycler?

    init() {}

    deinit {
        free(base)
    }

    var isEmpty: Bool { count == 0 }

    /// Makes room for `size` bytes in all, and answers whether there was memory for it.
    mutating func reserve(_ size: Int) -> Bool {
        guard size > capacity else { return true }
        guard let grown = realloc(base, size) else { return false }
        base = grown
        capacity = size
        return true
    }

    /// Appends bytes, and answers whether there was memory for them.
    mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return true }
        let needed = count + bytes.count
        if capacity == 0, let spare = recycler?.take() { (base, capacity) = spare }
        if needed > capacity {
            // The first piece gets just its size: most bodies are one piece.
            guard reserve(capacity == 0 ? needed : max(needed, capacity * 2)) else { return false }
        }
        base?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
        count = needed
        return true
    }

    /// Gives the next of many pieces away; its memory comes back when nobody uses it any more.
    ///
    /// A piece that fills less than half of the memory is copied, so that nobody who keeps it keeps much more.
    mutating func takePiece() -> Data {
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

    /// Gives the bytes away as `Data` and is empty afterwards.
    mutating func takeData() -> Data {
        guard let bytes = base, count > 0 else { return Data() }
        defer {
            base = nil
            capacity = 0
            count = 0
        }
        // A small Data lives in its own allocation anyway; copying is cheaper than a deallocator's closure.
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
