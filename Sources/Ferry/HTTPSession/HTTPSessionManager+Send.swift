import Foundation

extension HTTPSessionManager {
    /// Sends a request and calls the handler with the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completionHandler: Called once with the response, on ``SessionManager/completionQueue``.
    /// - Returns: The running task; nil if the request could not be made, and the handler receives the error.
    @discardableResult
    public func send<Value>(
        _ request: Request<Value>,
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) -> URLSessionDataTask? {
        let task = task(for: request, completionHandler: completionHandler)
        if let task { start(task) }
        return task
    }

    /// Sends a request and returns the response.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, with its value, its error, or both.
    public func response<Value>(for request: Request<Value>) async -> TaskResponse<Value> {
        await completion { handler in self.task(for: request, completionHandler: handler) }
    }

    /// Sends a request and returns the decoded value.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameter request: The request.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    public func send<Value>(_ request: Request<Value>) async throws(NetworkError) -> Value {
        try await response(for: request).get()
    }

    /// Returns the body of the response to a request, piece by piece as it arrives.
    ///
    /// - Parameters:
    ///   - request: The request; its response serializer is not used.
    ///   - validation: The acceptable status codes and content types.
    ///   - bufferLimit: The number of bytes that may wait to be read before the transfer is suspended; 1 MiB by
    ///     default.
    ///   - onResponse: Called with a response that has passed validation, on the ``SessionManager/operationQueue``.
    /// - Returns: A sequence of pieces; if the request cannot be made, reading the first piece throws.
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

    /// Returns the body of a response, piece by piece as it arrives.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: The header fields of this request.
    ///   - validation: The acceptable status codes and content types.
    /// - Returns: A sequence of pieces; if the request cannot be made, reading the first piece throws.
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

    /// Uploads a multipart form.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - method: The method.
    ///   - parameters: The parameters, which become the first parts of the form.
    ///   - headers: The header fields of this request.
    ///   - serializer: Validates and decodes the response; by default it returns the body.
    ///   - progress: Receives the progress of the request body.
    ///   - multipartForm: Adds the form's parts.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
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

    /// Downloads a file.
    ///
    /// Cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - path: The path relative to the base URL, or an absolute URL.
    ///   - parameters: The parameters, or nil for none.
    ///   - headers: The header fields of this request.
    ///   - destination: The destination of the file; by default a new temporary file, which the caller must remove.
    ///   - progress: Receives the progress of the response body.
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
