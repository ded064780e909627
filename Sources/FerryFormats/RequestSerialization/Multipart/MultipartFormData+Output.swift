extension MultipartFormData {
    /// Returns a new stream of the whole body, not yet opened.
    public func makeInputStream() -> InputStream { MultipartInputStream(form: self) }

    /// Returns a copy of the request with a stream of the body, its `Content-Type` and its exact `Content-Length`.
    ///
    /// Each call creates a new stream. If the form has no parts, the request is returned unchanged.
    ///
    /// - Parameter request: The request. Its body, if any, is replaced.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError`` if the request has no URL.
    public func apply(to request: URLRequest) throws -> URLRequest {
        guard !isEmpty else { return request }
        var request = try applyHeaders(to: request)
        request.httpBodyStream = makeInputStream()
        return request
    }

    /// Writes the body to a file and returns the request with which to upload that file.
    ///
    /// Use this for transports that cannot send a stream with a `Content-Length`. AFNetworking:
    /// `requestWithMultipartFormRequest:writingStreamContentsToFile:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: The request. Its body, if any, is removed.
    ///   - fileURL: The file to write. An existing file is replaced.
    /// - Returns: The request without a body, with `Content-Type` and `Content-Length`.
    /// - Throws: ``RequestSerializationError`` if the request has no URL, or if the body cannot be read or written.
    public func apply(to request: URLRequest, writingBodyTo fileURL: URL) throws -> URLRequest {
        let request = try applyHeaders(to: request)
        try write(to: fileURL)
        return request
    }

    /// Writes the body to a file on a background queue and returns the request with which to upload that file.
    ///
    /// - Parameters:
    ///   - request: The request. Its body, if any, is removed.
    ///   - fileURL: The file to write. An existing file is replaced.
    /// - Returns: The request without a body, with `Content-Type` and `Content-Length`.
    /// - Throws: As the synchronous method; also `CancellationError` if the Swift task is cancelled before the file is
    ///   complete.
    public func apply(to request: URLRequest, writingBodyTo fileURL: URL) async throws -> URLRequest {
        let request = try applyHeaders(to: request)
        try await write(to: fileURL)
        return request
    }

    /// Writes the body to a file.
    ///
    /// The body is written in pieces of 64 KiB; ``throttle(packetSize:delay:)`` does not apply. The file appears only
    /// when it is complete.
    ///
    /// - Parameter fileURL: The file to write. An existing file is replaced.
    /// - Throws: ``RequestSerializationError`` if the body cannot be read or written.
    public func write(to fileURL: URL) throws { try MultipartFileWriter(form: self, fileURL: fileURL).write { false } }

    /// Writes the body to a file on a background queue, in the same way as the synchronous method.
    ///
    /// - Parameter fileURL: The file to write. An existing file is replaced.
    /// - Throws: ``RequestSerializationError`` if the body cannot be read or written; `CancellationError` if the Swift
    ///   task is cancelled before the file is complete.
    public func write(to fileURL: URL) async throws {
        let writer = MultipartFileWriter(form: self, fileURL: fileURL)
        let isCancelled = Mutex(false)
        try await withTaskCancellationHandler {
            try await DispatchQueue.global(qos: .utility).run {
                try writer.write { isCancelled.withLock { value in value } }
            }
        } onCancel: {
            isCancelled.withLock { value in value = true }
        }
    }

    private func applyHeaders(to request: URLRequest) throws -> URLRequest {
        try request.requiredURL()
        var request = request
        request.httpBody = nil
        try request.setHeaders([.contentType(contentType), HTTPHeader("Content-Length", "\(contentLength)")])
        return request
    }
}

/// A writer of a form's body to a file, which appears only when it is complete.
private struct MultipartFileWriter: Sendable {
    package let form: MultipartFormData
    package let fileURL: URL

    /// Writes the body in pieces; throws `CancellationError` if `isCancelled` returns `true` before a piece.
    package func write(isCancelled: () -> Bool) throws {
        guard fileURL.isFileURL else { throw failure("Expected URL to be a file URL") }
        // In the same directory, so that the complete file can be renamed into place. The name has a fixed length,
        // since the file's own name may be as long as a name can be.
        let temporaryURL = fileURL.deletingLastPathComponent()
            .appendingPathComponent(".ferry-\(UUID.random.uuidString).part")
        let file: RegularFile
        do throws(FileError) {
            file = try RegularFile(creating: temporaryURL.path, mode: 0o666)
        } catch {
            throw failure("The file could not be created.", underlying: error.posixError)
        }
        do {
            try copyBody(to: file, isCancelled: isCancelled)
            try publish(file, from: temporaryURL.path)
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
            if isCancelled() { throw CancellationError() }
            let count = try cursor.read(into: buffer)
            guard count > 0 else { return }
            do throws(FileError) {
                try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            } catch {
                throw failure(Self.notWritten, underlying: error.posixError)
            }
            offset += Int64(count)
        }
    }

    private func publish(_ file: RegularFile, from temporaryPath: String) throws {
        do throws(FileError) {
            // A full or remote disk may report a write error only when the file is closed.
            try file.close()
            guard rename(temporaryPath, fileURL.path) == 0 else { throw FileError("rename to", path: fileURL.path) }
        } catch {
            throw failure(Self.notWritten, underlying: error.posixError)
        }
    }

    private static let notWritten = "The file could not be written."

    private func failure(_ reason: String, underlying: (any Error)? = nil) -> RequestSerializationError {
        let url = fileURL.absoluteString
        return RequestSerializationError(.fileNotWritten, reason: reason, failingURL: url, underlyingError: underlying)
    }
}
