/// Bytes at a fixed address, which libcurl reads whenever it connects.
///
/// `@unchecked Sendable`: the bytes are never changed.
final class TLSBlob: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let memory: UnsafeMutableRawBufferPointer

    init(_ data: Data) {
        memory = .allocate(byteCount: data.count, alignment: 1)
        data.copyBytes(to: memory)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit {
        memory.deallocate()
    }
}
