import FerrySession

/// A file as it was when it was added to a form.
struct MultipartFile: Sendable {
    let url: URL
    let stamp: FileStamp

    /// Looks at the file without reading it.
    init(url: URL) throws {
        let descriptor = try Self.open(url)
        defer { close(descriptor) }
        self.url = url
        stamp = try Self.stamp(of: descriptor, url: url)
    }

    /// Opens the file, if it is still the same one.
    ///
    /// - Returns: A descriptor, for the caller to close.
    func open() throws -> Int32 {
        let descriptor = try Self.open(url)
        do {
            try check(descriptor)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Checks that the open file is what it was when it was added.
    func check(_ descriptor: Int32) throws {
        let now = try Self.stamp(of: descriptor, url: url)
        guard now != stamp else { return }
        let change =
            if now.size < stamp.size {
                "shrank from \(stamp.size) to \(now.size) bytes"
            } else if now.size > stamp.size {
                "grew from \(stamp.size) to \(now.size) bytes"
            } else {
                "was changed"
            }
        throw error(.fileChanged, "The file \(url.path) \(change) after it was added to the form.")
    }

    /// An error about this file.
    func error(
        _ code: RequestSerializationError.Code,
        _ reason: String,
        _ underlying: (any Error)? = nil
    )
        -> RequestSerializationError
    {
        Self.error(code, reason, url: url, underlying)
    }

    private static func open(_ url: URL) throws -> Int32 {
        guard url.isFileURL else {
            throw error(.fileUnreachable, "Expected URL to be a file URL", url: url)
        }
        // Non-blocking, since opening a named pipe waits for a writer; regular files do not care.
        let descriptor = POSIXFailure.retrying { Int(openForReading(url.path)) }
        guard descriptor >= 0 else {
            throw error(.fileUnreachable, "The file URL is not reachable: \(url.path)", url: url, POSIXFailure.last())
        }
        return Int32(descriptor)
    }

    private static func stamp(of descriptor: Int32, url: URL) throws -> FileStamp {
        guard let status = FileStamp.status(of: descriptor) else {
            throw error(.fileUnreachable, "The file URL is not reachable: \(url.path)", url: url, POSIXFailure.last())
        }
        guard let stamp = FileStamp(status) else {
            throw error(.fileUnreachable, "The file URL does not lead to a regular file.", url: url)
        }
        return stamp
    }

    private static func error(
        _ code: RequestSerializationError.Code,
        _ reason: String,
        url: URL,
        _ underlying: (any Error)? = nil
    ) -> RequestSerializationError {
        RequestSerializationError(code, reason: reason, failingURL: url.absoluteString, underlyingError: underlying)
    }
}

private func openForReading(_ path: String) -> Int32 {
    open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
}
