extension CurlSession {
    /// Downloads a file, checks it, and gives it its name.
    ///
    /// Cancelling the Swift task cancels the download, which then throws `URLError.cancelled`. Failed requests are
    /// repeated while others make progress, and at most five times in a row, during three seconds, for
    /// each URL.
    ///
    /// - Parameters:
    ///   - download: The download.
    ///   - progress: Called about ten times per second, and at the end, on threads of the concurrency pool.
    /// - Returns: What the download has done.
    /// - Throws: A ``VerifiedDownloadError``, a `URLError`, or the error of an interceptor or a protocol class.
    @discardableResult
    public func download(
        _ download: VerifiedDownload,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> VerifiedDownload.Outcome {
        try await SegmentedRun(session: self, download: download, progress: progress).run()
    }

    /// Uploads a file, and continues after lost connections where the server can.
    ///
    /// Cancelling the Swift task cancels the upload, which then throws `URLError.cancelled`. A server that has created
    /// an upload is asked how much it has after each failure; six failures in a row without progress end the upload.
    ///
    /// - Parameters:
    ///   - upload: The upload.
    ///   - progress: Called about ten times per second, and at the end, on threads of the concurrency pool.
    /// - Returns: What the upload has done.
    /// - Throws: A ``FileUploadError``, a `URLError`, or the error of an interceptor or a protocol class.
    @discardableResult
    public func upload(
        _ upload: FileUpload,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws -> FileUpload.Outcome {
        try await UploadRun(session: self, upload: upload, progress: progress).run()
    }
}
