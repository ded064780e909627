// For FoundationNetworking of Swift 6.3, whose `async` functions use none of the methods that a subclass can override.
// `WorkaroundTests` notices when they do.

extension CurlSession {
    /// A delegate type without instances; its only value is `nil`.
    public final class NoDelegate: NSObject, URLSessionTaskDelegate, Sendable {
        private override init() {}
    }

    /// The same as ``data(from:)``.
    public func data(from url: URL, delegate: NoDelegate? = nil) async throws -> (Data, URLResponse) {
        try await run(nil) { makeDataTask(URLRequest(url: url), .data($0, isAsync: true)) }
    }

    /// The same as ``data(for:)``.
    public func data(for request: URLRequest, delegate: NoDelegate? = nil) async throws -> (Data, URLResponse) {
        try await run(nil) { makeDataTask(request, .data($0, isAsync: true)) }
    }

    /// The same as ``upload(for:from:)``.
    public func upload(
        for request: URLRequest,
        from bodyData: Data,
        delegate: NoDelegate? = nil
    ) async throws -> (Data, URLResponse) {
        try await run(nil) { makeUploadTask(request, .data(bodyData), .data($0, isAsync: true)) }
    }

    /// The same as ``upload(for:fromFile:)``.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL,
        delegate: NoDelegate? = nil
    ) async throws -> (Data, URLResponse) {
        try await run(nil) { makeUploadTask(request, .file(fileURL), .data($0, isAsync: true)) }
    }

    /// The same as ``download(from:)``.
    public func download(from url: URL, delegate: NoDelegate? = nil) async throws -> (URL, URLResponse) {
        try await run(nil) { makeDownloadTask(URLRequest(url: url), .download($0, isAsync: true)) }
    }

    /// The same as ``download(for:)``.
    public func download(for request: URLRequest, delegate: NoDelegate? = nil) async throws -> (URL, URLResponse) {
        try await run(nil) { makeDownloadTask(request, .download($0, isAsync: true)) }
    }
}
