/// The pieces of a body that wait to be read, oldest first.
struct ChunkQueue: Sendable {
    private var chunks: [Data] = []
    private var first = 0

    /// The number of bytes of all pieces.
    private(set) var byteCount = 0

    /// A Boolean value that indicates whether there is no piece.
    var isEmpty: Bool { first == chunks.count }

    /// The number of elements in the array, of which some may belong to pieces that have been removed.
    var slotCount: Int { chunks.count }

    /// Adds the newest piece.
    mutating func append(_ chunk: Data) {
        chunks.append(chunk)
        byteCount += chunk.count
    }

    /// Removes and returns the oldest piece; nil if there is none.
    mutating func takeFirst() -> Data? {
        guard first < chunks.count else { return nil }
        let chunk = chunks[first]
        chunks[first] = Data()
        first += 1
        byteCount -= chunk.count
        // Moving the others only after as many have been removed takes constant time for each.
        if first >= max(16, chunks.count - first) || first == chunks.count {
            chunks.removeFirst(first)
            first = 0
        }
        return chunk
    }
}
