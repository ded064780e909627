import FerrySession

/// A writer of a form's body to a file, which appears only when it is complete.
struct MultipartFileWriter: Sendable {
    let form: MultipartFormData
    let fileURL: URL

    /// Writes the body in pieces; throws `CancellationError` if `isCancelled` returns `true` before a piece.
    func write(isCancelled: () -> Bool) throws {
        guard fileURL.isFileURL else {
            throw failure("Expected URL to be a file URL")
        }
        // In the same directory, so that the complete file can be renamed into place.
        let temporaryURL = fileURL.deletingLastPathComponent()
            .appendingPathComponent(".\(fileURL.lastPathComponent).\(UUID().uuidString)")
        let file: RegularFile
        do throws(FileError) {
            file = try RegularFile(creating: temporaryURL.path, mode: 0o666)
        } catch {
            throw failure("The file could not be created.", underlying: error.posixError)
        }
        do {
            try copyBody(to: file, isCancelled: isCancelled)
            try publish(file, temporaryURL.path)
        } catch {
            unlink(temporaryURL.path)
            throw error
        }
    }

    private func copyBody(to file: RegularFile, isCancelled: () -> Bool) throws {
        let cursor = MultipartCursor(form: form)
        defer { cursor.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            if isCancelled() {
                throw CancellationError()
            }
            let count = try cursor.read(into: buffer)
            guard count > 0 else { return }
            do throws(FileError) {
                try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            } catch {
                throw notWritten(error)
            }
            offset += Int64(count)
        }
    }

    private func publish(_ file: RegularFile, _ temporaryPath: String) throws {
        do throws(FileError) {
            // A full or remote disk may report a write error only when the file is closed.
            try file.close()
            guard rename(temporaryPath, fileURL.path) == 0 else { throw FileError("rename to", path: fileURL.path) }
        } catch {
            throw notWritten(error)
        }
    }

    private func notWritten(_ error: FileError) -> RequestSerializationError {
        failure("The file could not be written.", underlying: error.posixError)
    }

    private func failure(_ reason: String, underlying: (any Error)? = nil) -> RequestSerializationError {
        let url = fileURL.absoluteString
        return RequestSerializationError(.fileNotWritten, reason: reason, failingURL: url, underlyingError: underlying)
    }
}
