import FerrySession

extension MultipartFormData {
    /// A new stream of the whole body, not opened.
    public func makeInputStream() -> MultipartInputStream {
        MultipartInputStream(form: self)
    }

    /// A copy of the request with a stream of the body, its `Content-Type` and its exact `Content-Length`.
    ///
    /// Each call gives a new stream. Without parts, the request is returned unchanged.
    ///
    /// - Parameter request: The request; a body it has is replaced.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError`` for a request without a URL.
    public func apply(to request: URLRequest) throws -> URLRequest {
        guard !isEmpty else { return request }
        var request = try applyHeaders(to: request)
        request.httpBodyStream = makeInputStream()
        return request
    }

    /// Writes the body to a file and gives the request to upload that file with.
    ///
    /// For transports that do not send a stream with its length. AFNetworking:
    /// `requestWithMultipartFormRequest:writingStreamContentsToFile:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: The request; a body it has is removed.
    ///   - fileURL: Where the body goes; a file that is there is replaced.
    /// - Returns: The request without a body, with `Content-Type` and `Content-Length`.
    /// - Throws: ``RequestSerializationError`` for a request without a URL, or a body that cannot be read or written.
    public func apply(to request: URLRequest, writingBodyTo fileURL: URL) throws -> URLRequest {
        let request = try applyHeaders(to: request)
        try write(to: fileURL)
        return request
    }

    /// Writes the body to a file on a background queue and gives the request to upload that file with.
    ///
    /// - Parameters:
    ///   - request: The request; a body it has is removed.
    ///   - fileURL: Where the body goes; a file that is there is replaced.
    /// - Returns: The request without a body, with `Content-Type` and `Content-Length`.
    /// - Throws: ``RequestSerializationError`` for a request without a URL, or a body that cannot be read or written;
    ///   `CancellationError` if the task was cancelled before the file was complete.
    public func apply(to request: URLRequest, writingBodyTo fileURL: URL) async throws -> URLRequest {
        let request = try applyHeaders(to: request)
        try await write(to: fileURL)
        return request
    }

    /// Writes the body to a file, in pieces of 64 KiB; ``throttle(packetSize:delay:)`` does not apply.
    ///
    /// The file appears complete or not at all.
    ///
    /// - Parameter fileURL: Where the body goes; a file that is there is replaced.
    /// - Throws: ``RequestSerializationError`` for a body that cannot be read or written.
    public func write(to fileURL: URL) throws {
        try MultipartFileWriter(form: self, fileURL: fileURL).write { false }
    }

    /// Writes the body to a file on a background queue, in pieces of 64 KiB; ``throttle(packetSize:delay:)`` does not
    /// apply.
    ///
    /// The file appears complete or not at all.
    ///
    /// - Parameter fileURL: Where the body goes; a file that is there is replaced.
    /// - Throws: ``RequestSerializationError`` for a body that cannot be read or written, `CancellationError` if the
    ///   task was cancelled before the file was complete.
    public func write(to fileURL: URL) async throws {
        let writer = MultipartFileWriter(form: self, fileURL: fileURL)
        let isCancelled = Locked(false)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                DispatchQueue.global(qos: .utility).async {
                    continuation.resume(with: Result { try writer.write { isCancelled.withLock { value in value } } })
                }
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
