import FerrySession

/// Writes a form's body to a file that appears complete or not at all.
struct MultipartFileWriter: Sendable {
    let form: MultipartFormData
    let fileURL: URL

    /// Writes the body, asking between pieces whether to stop.
    func write(isCancelled: () -> Bool) throws {
        guard fileURL.isFileURL else {
            throw failure("Expected URL to be a file URL")
        }
        // In the same directory, so that the last step is one rename.
        let temporaryURL = fileURL.deletingLastPathComponent()
            .appendingPathComponent(".\(fileURL.lastPathComponent).\(UUID().uuidString)")
        let descriptor = open(temporaryURL.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw failure("The file could not be created.", underlying: POSIXFailure.last())
        }
        do {
            try copyBody(to: descriptor, isCancelled: isCancelled)
        } catch {
            close(descriptor)
            unlink(temporaryURL.path)
            throw error
        }
        // A full or remote disk may report its failure here only.
        guard close(descriptor) == 0, rename(temporaryURL.path, fileURL.path) == 0 else {
            let cause = POSIXFailure.last()
            unlink(temporaryURL.path)
            throw failure("The file could not be written.", underlying: cause)
        }
    }

    private func copyBody(to descriptor: Int32, isCancelled: () -> Bool) throws {
        let cursor = MultipartCursor(form: form)
        defer { cursor.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            if isCancelled() {
                throw CancellationError()
            }
            let count = try cursor.read(into: buffer)
            guard count > 0 else { return }
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: descriptor)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = POSIXFailure.retrying { writeBytes(descriptor, rest.baseAddress, rest.count) }
            guard count > 0 else {
                throw failure("The file could not be written.", underlying: POSIXFailure.last())
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    private func failure(_ reason: String, underlying: (any Error)? = nil) -> RequestSerializationError {
        let url = fileURL.absoluteString
        return RequestSerializationError(.fileNotWritten, reason: reason, failingURL: url, underlyingError: underlying)
    }
}

private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
