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
        let task = startableTask(for: request, completionHandler)
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
        await completion { handler in self.startableTask(for: request, handler) }
    }

    /// Makes a task that the caller resumes at once; with ``SessionManager/hedging``, a second one may follow.
    private func startableTask<Value>(
        for request: Request<Value>,
        _ completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void
    ) -> URLSessionDataTask? {
        guard let hedging, request.mayBeHedged, let url = try? BaseURL.resolve(request.path, against: baseURL) else {
            return task(for: request, completionHandler: completionHandler)
        }
        let call = HedgedCall(self, url, by: hedging, handler: completionHandler) { handler in
            self.task(for: request, completionHandler: handler)
        }
        return call.makeFirst()
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
        stream(
            validation: validation,
            bufferLimit: bufferLimit,
            onResponse: onResponse,
            lastEventID: request.headers["Last-Event-ID"] ?? "",
            recovery: request.recovery,
            uploadProgress: request.uploadProgress
        ) {
            if let refusal = request.recovery.refusal(by: self.session) { throw refusal }
            return try self.makeRequest(request)
        }
    }

    /// Downloads the response of a request into a file.
    ///
    /// Cancelling the Swift task cancels the transfer; the error's ``NetworkError/resumeData`` resumes it. If there is
    /// resume data, the partial file stays in the temporary directory until it is resumed.
    ///
    /// - Parameters:
    ///   - request: The request; its response serializer validates the response, but its value is not used.
    ///   - destination: The destination of the file; by default a new temporary file, which the caller must remove.
    ///   - progress: Receives the progress of the response body, instead of the request's own closure.
    /// - Returns: The URL of the file.
    /// - Throws: The response's error.
    public func download<Value>(
        _ request: Request<Value>,
        to destination: DownloadDestination = .temporary,
        progress: ProgressHandler? = nil
    ) async throws(NetworkError) -> URL {
        try await response(for: request, to: destination, progress: progress).get()
    }

    /// Downloads the response of a request into a file, and returns the whole response.
    ///
    /// Cancelling the Swift task cancels the transfer; the error's ``NetworkError/resumeData`` resumes it. If there is
    /// resume data, the partial file stays in the temporary directory until it is resumed.
    ///
    /// - Parameters:
    ///   - request: The request; its response serializer validates the response, but its value is not used.
    ///   - destination: The destination of the file.
    ///   - progress: Receives the progress of the response body, instead of the request's own closure.
    /// - Returns: The response; its value is the file's URL.
    public func response<Value>(
        for request: Request<Value>,
        to destination: DownloadDestination,
        progress: ProgressHandler? = nil
    ) async -> TaskResponse<URL> {
        do {
            let urlRequest = try makeRequest(request)
            if let refusal = request.recovery.refusal(by: session) { throw refusal }
            let (serializer, progress) = (request.serializer(ownSerializer), progress ?? request.downloadProgress)
            return await completion { handler in
                let task = self.downloadTask(
                    with: urlRequest,
                    serializer: serializer,
                    progress: progress,
                    destination: destination,
                    completionHandler: handler
                )
                request.recovery.apply(to: task)
                return task
            }
        } catch {
            return TaskResponse(error: NetworkError(requestSerialization: error))
        }
    }
}
