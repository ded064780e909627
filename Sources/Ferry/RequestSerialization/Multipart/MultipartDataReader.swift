import Foundation

/// A reader of bytes in memory.
struct MultipartDataReader: MultipartReader {
    private var rest: Data
    let mayWait = false

    init(_ data: Data) {
        rest = data
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = rest.copyBytes(to: buffer)
        // A slice shares its memory with the data, so that large data is not copied for each buffer.
        rest = rest.dropFirst(count)
        return count
    }

    func close() {}
}
