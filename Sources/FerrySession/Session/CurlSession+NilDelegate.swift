/// The `async` functions with `nil` in the place of the delegate.
///
/// FoundationNetworking's functions with an optional delegate cannot be overridden. On a variable of type `CurlSession`
/// a literal `nil` means these instead, since a value of ``NoDelegate`` would be one of `URLSessionTaskDelegate`.
extension CurlSession {
    /// A delegate of which there is no value but `nil`.
    public final class NoDelegate: NSObject, URLSessionTaskDelegate, Sendable {
        private override init() {}
    }

    /// Fetches the URL into memory.
    public func data(from url: URL, delegate: NoDelegate?) async throws -> (Data, URLResponse) {
        try await data(from: url)
    }

    /// Sends the request and gives the body.
    public func data(for request: URLRequest, delegate: NoDelegate?) async throws -> (Data, URLResponse) {
        try await data(for: request)
    }

    /// Sends bytes as the body.
    public func upload(
        for request: URLRequest,
        from bodyData: Data,
        delegate: NoDelegate?
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData)
    }

    /// Sends a file as the body.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL,
        delegate: NoDelegate?
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL)
    }

    /// Fetches the URL into a temporary file, which is the caller's to move or delete.
    public func download(from url: URL, delegate: NoDelegate?) async throws -> (URL, URLResponse) {
        try await download(from: url)
    }

    /// Fetches into a temporary file, which is the caller's to move or delete.
    public func download(for request: URLRequest, delegate: NoDelegate?) async throws -> (URL, URLResponse) {
        try await download(for: request)
    }
}
