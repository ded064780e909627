/// A function that receives the bytes of a body in large pieces.
///
/// libcurl passes at most 16 KiB at a time. Writing such pieces to a file takes the kernel 50% more time than writing
/// large ones.
struct ByteSink: Sendable {
    private static let capacity = 262_144

    private let take: @Sendable (UnsafeRawBufferPointer) -> Bool
    private var buffer: [UInt8] = []

    /// Creates a sink with a function that returns whether it wants more.
    init(_ take: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool) { self.take = take }

    var isEmpty: Bool { buffer.isEmpty }

    /// Adds bytes, and returns whether more are wanted.
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        buffer.append(contentsOf: bytes)
        return buffer.count < Self.capacity || flush()
    }

    /// Passes the added bytes to the function, and returns whether more is wanted.
    mutating func flush() -> Bool {
        guard !buffer.isEmpty else { return true }
        defer { buffer.removeAll(keepingCapacity: true) }
        return buffer.withUnsafeBytes { take($0) }
    }
}
