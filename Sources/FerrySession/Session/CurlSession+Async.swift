/// The `async` functions.
///
/// URLSession's own functions of these names cannot be overridden. These are called instead on a variable of type
/// `CurlSession`, without a delegate argument or with one that is not optional, and with a literal `nil`, because
/// ``NoDelegate`` is a more specific type than `URLSessionTaskDelegate`. Those without that parameter are disfavored: a
/// function of the same type that a program adds to `URLSession` would make their calls ambiguous.
///
/// They throw the error that the task completes with: a `URLError`, or the error that an interceptor or a class of
/// `protocolClasses` reports. Cancelling the Swift task cancels the transfer, which then throws `URLError.cancelled`.
extension CurlSession {
    /// Fetches the contents of a URL into memory.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class.
    @_disfavoredOverload
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await data(from: url, delegate: nil)
    }

    /// Like ``data(from:)``, with a delegate for this task.
    public func data(from url: URL, delegate: any URLSessionTaskDelegate) async throws -> (Data, URLResponse) {
        try await run(delegate) { makeDataTask(URLRequest(url: url), .data($0, isAsync: true)) }
    }

    /// Sends a request and returns the response with its body in memory.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class.
    @_disfavoredOverload
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await data(for: request, delegate: nil)
    }

    /// Like ``data(for:)``, with a delegate for this task.
    public func data(
        for request: URLRequest,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { makeDataTask(request, .data($0, isAsync: true)) }
    }

    /// Sends a request with the given bytes as its body, in place of its own.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class.
    @_disfavoredOverload
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData, delegate: nil)
    }

    /// Like ``upload(for:from:)``, with a delegate for this task.
    public func upload(
        for request: URLRequest,
        from bodyData: Data,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { makeUploadTask(request, .data(bodyData), .data($0, isAsync: true)) }
    }

    /// Sends a request with a file as its body.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class.
    @_disfavoredOverload
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL, delegate: nil)
    }

    /// Like ``upload(for:fromFile:)``, with a delegate for this task.
    public func upload(
        for request: URLRequest,
        fromFile fileURL: URL,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { makeUploadTask(request, .file(fileURL), .data($0, isAsync: true)) }
    }

    /// Downloads the contents of a URL to a temporary file, which the caller must move or delete.
    ///
    /// As after a failure, the error of a cancelled download has resume data where the download can be continued, and
    /// the partial file is kept.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class.
    @_disfavoredOverload
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(from: url, delegate: nil)
    }

    /// Like ``download(from:)``, with a delegate for this task.
    public func download(from url: URL, delegate: any URLSessionTaskDelegate) async throws -> (URL, URLResponse) {
        try await run(delegate) { makeDownloadTask(URLRequest(url: url), .download($0, isAsync: true)) }
    }

    /// Sends a request and downloads the body to a temporary file, which the caller must move or delete.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class.
    @_disfavoredOverload
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await download(for: request, delegate: nil)
    }

    /// Like ``download(for:)``, with a delegate for this task.
    public func download(
        for request: URLRequest,
        delegate: any URLSessionTaskDelegate
    ) async throws -> (URL, URLResponse) {
        try await run(delegate) { makeDownloadTask(request, .download($0, isAsync: true)) }
    }

    /// Continues an earlier download to a temporary file, which the caller must move or delete.
    ///
    /// - Throws: A `URLError`, or the error of an interceptor or a protocol class. If the resume data or its partial
    ///   file cannot be used, the underlying error is a ``CurlSessionError`` with the code `invalidResumeData`.
    public func download(resumeFrom resumeData: Data) async throws -> (URL, URLResponse) {
        try await run(nil) { makeDownloadTask(resuming: resumeData, .download($0, isAsync: true)) }
    }

    func run<Value: Sendable>(
        _ delegate: (any URLSessionTaskDelegate)?,
        _ make: (@Sendable @escaping (Value?, ReceivedResponse?, (any Error)?) -> Void) -> any CurlTask
    ) async throws -> (Value, URLResponse) {
        let relay = CancellationRelay()
        let (value, response) = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<(Value, ReceivedResponse), any Error>) in
                let task = make { value, response, error in
                    relay.finish()
                    if let value, let response {
                        continuation.resume(returning: (value, response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.unknown))
                    }
                }
                if let delegate { task.delegate = delegate }
                relay.attach(task)
                task.resume()
            }
        } onCancel: {
            relay.cancel()
        }
        relay.finish()
        return (value, response.value)
    }
}
