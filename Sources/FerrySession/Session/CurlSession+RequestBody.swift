/// Bodies that are made while they are sent.
extension CurlSession {
    /// Sends a request with a body that is made while it is sent, in place of the request's own.
    ///
    /// Cancelling the Swift task cancels the transfer, which then throws `URLError.cancelled`.
    ///
    /// - Returns: The response with its body in memory. It may have come before all of the request's body was sent,
    ///   which is then not made any further.
    /// - Throws: A `URLError`, the error of the body's sequence or writer, or that of an interceptor or a protocol
    ///   class.
    public func upload(
        for request: URLRequest,
        body: RequestBody,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { makeUploadTask(request, .made(body.made), .data($0, isAsync: true)) }
    }

    /// Like ``upload(for:body:delegate:)``, also without a body.
    ///
    /// The closure is called with the task before it is resumed.
    package func exchange(
        _ request: URLRequest,
        body: RequestBody?,
        delegate: (any URLSessionTaskDelegate)? = nil,
        prepare: (URLSessionTask) -> Void
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { handler in
            let task: any CurlTask =
                if let body {
                    makeUploadTask(request, .made(body.made), .data(handler, isAsync: true))
                } else {
                    makeDataTask(request, .data(handler, isAsync: true))
                }
            prepare(task)
            return task
        }
    }

    /// Sends a request with a body that is made while it is sent, in place of the request's own, and returns as soon as
    /// the response head has arrived.
    ///
    /// The response may come, and be read, while the body is still sent: over HTTP/2, and over HTTP/1.1 if the server
    /// responds early.
    ///
    /// - Throws: A `URLError`, the error of the body's sequence or writer, or that of an interceptor or a protocol
    ///   class.
    public func bytes(
        for request: URLRequest,
        body: RequestBody,
        delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Bytes, URLResponse) {
        try await bytes(delegate) { makeDataTask(request, .made(body.made), $0) }
    }

    /// Makes an upload task with a body that is made while it is sent, in place of the request's own; it reports to the
    /// delegate.
    public func uploadTask(with request: URLRequest, body: RequestBody) -> URLSessionUploadTask {
        makeUploadTask(request, .made(body.made), .delegate)
    }

    /// Makes an upload task with a body that is made while it is sent, in place of the request's own; the handler runs
    /// on the delegate queue.
    public func uploadTask(
        with request: URLRequest,
        body: RequestBody,
        completionHandler: @Sendable @escaping (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .made(body.made), .data(completionHandler))
    }
}
