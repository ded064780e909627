/// The `async` functions with `nil` as the delegate.
///
/// FoundationNetworking's functions with an optional delegate cannot be overridden. On a variable of type
/// `CurlSession`, a literal `nil` selects these functions instead, because ``NoDelegate`` is a more specific type than
/// `URLSessionTaskDelegate`.
extension CurlSession {
    /// A delegate type without instances; its only value is `nil`.
    public final class NoDelegate: NSObject, URLSessionTaskDelegate, Sendable {
        private override init() {}
    }

    /// Fetches the contents of a URL into memory.
    ///
    /// - Throws: A `URLError`, or the error of a protocol class.
    public func data(from url: URL, delegate: NoDelegate?) async throws -> (Data, URLResponse) {
        try await data(from: url)
    }

    /// Sends a request and returns the response with its body in memory.
    ///
    /// - Throws: A `URLError`, or the error of a protocol class.
    public func data(for request: URLRequest, delegate: NoDelegate?) async throws -> (Data, URLResponse) {
        try await data(for: request)
    }

    /// Sends a request with the given bytes as its body.
    ///
    /// - Throws: A `URLError`, or the error of a protocol class.
    public func upload(
        for request: URLRequest,
        from bodyData: Data,
        delegate: NoDelegate?
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData)
    }

    /// Sends a request with a file as its body.
    ///
    /// - Throws: A `URLError`, or the error of a protocol class.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL,
        delegate: NoDelegate?
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL)
    }

    /// Downloads the contents of a URL to a temporary file, which the caller must move or delete.
    ///
    /// - Throws: A `URLError`, or the error of a protocol class.
    public func download(from url: URL, delegate: NoDelegate?) async throws -> (URL, URLResponse) {
        try await download(from: url)
    }

    /// Sends a request and downloads the body to a temporary file, which the caller must move or delete.
    ///
    /// - Throws: A `URLError`, or the error of a protocol class.
    public func download(for request: URLRequest, delegate: NoDelegate?) async throws -> (URL, URLResponse) {
        try await download(for: request)
    }
}
