import FerrySession

extension HTTPSessionManager {
    /// Sends a request and calls a handler with everything it came to.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completionHandler: Receives what the request came to, once, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if there was no request to send.
    @discardableResult
    public func send<Value>(
        _ request: Request<Value>,
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) -> URLSessionDataTask? {
        let task = task(for: request, completionHandler: completionHandler)
        if let task { start(task) }
        return task
    }

    /// Sends a request and gives everything it came to; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with its value, its error, or both.
    public func response<Value>(for request: Request<Value>) async -> TaskResponse<Value> {
        await completion { handler in self.task(for: request, completionHandler: handler) }
    }

    /// Sends a request and gives its value; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameter request: The request.
    /// - Returns: The value.
    /// - Throws: The response's error, or one with ``NetworkError/Code/noValue`` if there is neither.
    public func send<Value>(_ request: Request<Value>) async throws(NetworkError) -> Value {
        try await response(for: request).get()
    }

    /// The body of the response to a request in the pieces it comes in.
    ///
    /// - Parameters:
    ///   - request: The request; its response serializer is not used.
    ///   - validation: The acceptable status codes and content types.
    ///   - bufferLimit: The number of bytes that may wait to be read before the transfer is suspended.
    ///   - onResponse: Receives the response, once it has passed validation, on the ``SessionManager/operationQueue``.
    /// - Returns: A sequence; a request that cannot be made is an error of its first piece.
    public func stream<Value>(
        _ request: Request<Value>,
        validation: Validation = Validation(),
        bufferLimit: Int = 1 << 20,
        onResponse: (@Sendable (HTTPURLResponse) -> Void)? = nil
    ) -> DataStream {
        stream(validation: validation, bufferLimit: bufferLimit, onResponse: onResponse) {
            try self.makeRequest(request)
        }
    }

    /// The body of a response in the pieces it comes in.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: The header fields of this request.
    ///   - validation: The acceptable status codes and content types.
    /// - Returns: A sequence; a request that cannot be made is an error of its first piece.
    public func stream(
        _ path: String,
        method: HTTPMethod = .get,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        validation: Validation = Validation()
    ) -> DataStream {
        stream(
            Request(method, path, parameters, headers, nil, HTTPDataResponseSerializer()),
            validation: validation
        )
    }

    /// Uploads a multipart form; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: Parameters, which become the form's first parts.
    ///   - headers: The header fields of this request.
    ///   - serializer: Validates and decodes the response; by default it gives the body.
    ///   - progress: Receives the progress of the form.
    ///   - multipartForm: Adds the form's parts.
    /// - Returns: The value.
    /// - Throws: The response's error, or one with ``NetworkError/Code/noValue`` if there is neither.
    @discardableResult
    public func upload<Serializer: ResponseSerializer>(
        to path: String,
        method: HTTPMethod = .post,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        serializer: Serializer = HTTPDataResponseSerializer(),
        progress: ProgressHandler? = nil,
        multipartForm: @escaping @Sendable (inout MultipartFormData) throws -> Void
    ) async throws(NetworkError) -> Serializer.Output {
        try await send(Request(method, path, parameters, headers, nil, multipartForm, serializer, upload: progress))
    }

    /// Downloads a file below the base URL; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path below the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: The header fields of this request.
    ///   - destination: Where the file goes; by default a new temporary file, which is the caller's to remove.
    ///   - progress: Receives the progress of the response's body.
    /// - Returns: The response; its value is the file's URL.
    public func download(
        _ path: String,
        parameters: (any ParametersConvertible)? = nil,
        headers: HTTPHeaders = HTTPHeaders(),
        to destination: DownloadDestination = .temporary,
        progress: ProgressHandler? = nil
    ) async -> TaskResponse<URL> {
        let request = Request(.get, path, parameters, headers, nil, HTTPDataResponseSerializer())
        do {
            return await download(for: try makeRequest(request), to: destination, progress: progress)
        } catch {
            return TaskResponse(error: NetworkError(requestSerialization: error))
        }
    }
}
