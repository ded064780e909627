import FerrySession

/// An open file that is written from one end and cut off at it.
struct OutputFile: Sendable {
    /// How many bytes it has.
    private(set) var byteCount: Int64 = 0

    private let descriptor: Int32
    private let path: String

    /// Opens or makes a file.
    init(_ url: URL, append: Bool) throws {
        path = url.path
        guard url.isFileURL else {
            throw NetworkError(.fileError, message: "\(url.presentableText) is not a file URL")
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? 0 : O_TRUNC), 0o666)
        guard descriptor >= 0 else { throw POSIXFault("open", path: path) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else {
            let fault = POSIXFault("seek in", path: path)
            close()
            throw fault
        }
        byteCount = Int64(size)
    }

    /// Writes behind what is there and gives the number of bytes written, fewer than asked for if need be.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        let count = POSIXFailure.retrying { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(byteCount)) }
        guard count >= 0 else { throw POSIXFault("write to", path: path) }
        byteCount += Int64(count)
        return count
    }

    /// Cuts the file off.
    mutating func truncate(to count: Int64) throws {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw POSIXFault("truncate", path: path) }
        byteCount = count
    }

    /// Closes the file; a disk that is full or far away may report its failure here only.
    @discardableResult
    func close() -> POSIXFault? {
        closeDescriptor(descriptor) == 0 ? nil : POSIXFault("close", path: path)
    }
}

/// `close`, under a name that no method shadows.
private func closeDescriptor(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
