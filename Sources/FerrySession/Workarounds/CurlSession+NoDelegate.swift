// For FoundationNetworking of Swift 6.3, whose `async` functions use none of the methods that a subclass can override.
// `WorkaroundTests` notices when they do.

extension CurlSession {
    /// A delegate type without instances; its only value is `nil`.
    public final class NoDelegate: NSObject, URLSessionTaskDelegate, Sendable {
        private override init() {}
    }

    /// Calls ``data(from:)``.
    public func data(from url: URL, delegate: NoDelegate?) async throws -> (Data, URLResponse) {
        try await data(from: url)
    }

    /// Calls ``data(for:)``.
    public func data(for request: URLRequest, delegate: NoDelegate?) async throws -> (Data, URLResponse) {
        try await data(for: request)
    }

    /// Calls ``upload(for:from:)``.
    public func upload(
        for request: URLRequest,
        from bodyData: Data,
        delegate: NoDelegate?
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData)
    }

    /// Calls ``upload(for:fromFile:)``.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL,
        delegate: NoDelegate?
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL)
    }

    /// Calls ``download(from:)``.
    public func download(from url: URL, delegate: NoDelegate?) async throws -> (URL, URLResponse) {
        try await download(from: url)
    }

    /// Calls ``download(for:)``.
    public func download(for request: URLRequest, delegate: NoDelegate?) async throws -> (URL, URLResponse) {
        try await download(for: request)
    }
}
