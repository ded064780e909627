import Foundation

extension MultipartFormData {
    /// Returns a new stream of the whole body, not yet opened.
    public func makeInputStream() -> MultipartInputStream {
        MultipartInputStream(form: self)
    }

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
    /// - Throws: ``RequestSerializationError`` if the request has no URL, or if the body cannot be read or written;
    ///   `CancellationError` if the Swift task is cancelled before the file is complete.
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
    public func write(to fileURL: URL) throws {
        try MultipartFileWriter(form: self, fileURL: fileURL).write { false }
    }

    /// Writes the body to a file on a background queue.
    ///
    /// The body is written in pieces of 64 KiB; ``throttle(packetSize:delay:)`` does not apply. The file appears only
    /// when it is complete.
    ///
    /// - Parameter fileURL: The file to write. An existing file is replaced.
    /// - Throws: ``RequestSerializationError`` if the body cannot be read or written; `CancellationError` if the Swift
    ///   task is cancelled before the file is complete.
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
