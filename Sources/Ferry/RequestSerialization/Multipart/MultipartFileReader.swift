import FerrySession

/// Reads a file through a descriptor, straight into the caller's buffer.
final class MultipartFileReader: MultipartReader {
    private let file: MultipartFile
    private var descriptor: Int32
    private var remaining: Int64
    let mayWait = false

    init(_ file: MultipartFile) throws {
        self.file = file
        remaining = file.stamp.size
        descriptor = try file.open()
    }

    deinit {
        close()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard remaining > 0 else {
            // What was sent is only right if nobody wrote to the file meanwhile.
            try file.check(descriptor)
            return 0
        }
        let wanted = Int(min(Int64(buffer.count), remaining))
        let count = POSIXFailure.retrying { readBytes(descriptor, buffer.baseAddress, wanted) }
        guard count >= 0 else {
            let reason = "The file \(file.url.path) could not be read."
            throw file.error(.fileUnreachable, reason, POSIXFailure.last())
        }
        guard count > 0 else {
            try file.check(descriptor)
            throw file.error(.fileChanged, "The file \(file.url.path) ended \(remaining) bytes before its size.")
        }
        remaining -= Int64(count)
        return count
    }

    func close() {
        guard descriptor >= 0 else { return }
        closeDescriptor(descriptor)
        descriptor = -1
    }
}

private func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func closeDescriptor(_ descriptor: Int32) {
    close(descriptor)
}
