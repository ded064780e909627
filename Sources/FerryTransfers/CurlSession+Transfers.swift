extension CurlSession {
    /// Downloads a file, checks it, and then renames it to its destination.
    ///
    /// Cancelling the Swift task cancels the download, which then throws `URLError.cancelled`. Failed requests are
    /// repeated while others make progress, and otherwise, for each URL, at most five times in a row within three
    /// seconds. The session's retry policy applies only to requests to the last URL that is left.
    ///
    /// - Parameters:
    ///   - download: The download.
    ///   - progress: Called at the beginning, about ten times per second, and at the end, also after a failure, on
    ///     threads of the concurrency pool.
    /// - Returns: The outcome of the download.
    /// - Throws: A ``VerifiedDownloadError``, a `URLError`, or the error of an interceptor or a protocol class.
    @discardableResult
    public func download(
        _ download: VerifiedDownload,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> VerifiedDownload.Outcome {
        guard download.hasPlainRequest else { throw VerifiedDownloadError.invalidRequest }
        return try await SegmentedRun(session: self, download: download, progress: progress).run()
    }

    /// Uploads a file, and continues after lost connections if the server supports that.
    ///
    /// Cancelling the Swift task cancels the upload, which then throws `URLError.cancelled`. After each failure, a
    /// server that has created an upload is asked how many bytes it has; six failures in a row without progress end the
    /// upload. The session's retry policy applies only to an upload without a protocol, ``FileUpload/Resumption/none``.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - progress: Called about ten times per second, and at the end, on threads of the concurrency pool.
    /// - Returns: The outcome of the upload.
    /// - Throws: A ``FileUploadError``, a `URLError`, or the error of an interceptor or a protocol class.
    @discardableResult
    public func upload(
        _ upload: FileUpload,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> FileUpload.Outcome {
        try await UploadRun(session: self, upload: upload, progress: progress).run()
    }

    /// Uploads a file in parts, several at once, and completes the upload with its manifest.
    ///
    /// Cancelling the Swift task cancels the upload, which then throws `URLError.cancelled`. A part is sent again after
    /// temporary failures, after the delay that the server asks for; six failures in a row, or a delay above the
    /// maximum of the session's retry policy, end the upload. The parts that the server has received stay there.
    /// Otherwise the policy applies only to the request of the manifest.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - progress: Called about ten times per second, and at the end, on threads of the concurrency pool.
    /// - Returns: The outcome of the upload.
    /// - Throws: A ``FileUploadError``, a `URLError`, or the error of a closure, an interceptor or a protocol class.
    @discardableResult
    public func upload(
        _ upload: PartUpload,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> PartUpload.Outcome {
        try await PartUploadRun(session: self, upload: upload, progress: progress).run()
    }

    /// Deletes an incomplete upload from its server.
    ///
    /// A server that no longer has the upload counts as a success.
    ///
    /// - Parameters:
    ///   - location: The location of the upload, which ``FileUpload/locationDidChange`` received.
    ///   - upload: The upload whose request's header fields are sent, unless the location has another origin.
    /// - Throws: A ``FileUploadError`` with the status, or a `URLError`.
    public func cancelUpload(at location: FileUpload.Location, of upload: FileUpload) async throws {
        let kind: UploadProtocol = location.resumption == .tus ? .tus : .resumableUploads
        for url in location.urls {
            let request = kind.request("DELETE", url, like: upload.request)
            let (data, answer) = try await exchange(request, body: nil) { upload.prepare($0, for: request) }
            guard let response = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            let status = response.statusCode
            guard 200..<300 ~= status || status == 404 || status == 410 else { throw FileUploadError((data, response)) }
        }
    }
}
