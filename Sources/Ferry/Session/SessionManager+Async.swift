extension SessionManager {
    /// Sends a request and returns the response.
    ///
    /// Cancelling the Swift task cancels the transfer, as in all of these functions.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates and decodes the response.
    ///   - uploadProgress: Receives the progress of the request body.
    ///   - downloadProgress: Receives the progress of the response body.
    /// - Returns: The response, with its value, its error, or both.
    public func response<Serializer: ResponseSerializer>(
        for request: URLRequest,
        serializer: Serializer,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil
    ) async -> TaskResponse<Serializer.Output> {
        if let hedging, request.mayBeHedged, uploadProgress == nil, downloadProgress == nil, let url = request.url {
            return await completion { handler in
                let call = HedgedCall(self, url, by: hedging, handler: handler) { handler in
                    self.dataTask(with: request, serializer: serializer, completionHandler: handler)
                }
                return call.makeFirst()
            }
        }
        return await completion { handler in
            self.dataTask(
                with: request,
                serializer: serializer,
                uploadProgress: uploadProgress,
                downloadProgress: downloadProgress,
                completionHandler: handler
            )
        }
    }

    /// Uploads a file and returns the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileURL: The file.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body.
    /// - Returns: The response, with its value, its error, or both.
    public func response<Serializer: ResponseSerializer>(
        for request: URLRequest,
        fromFile fileURL: URL,
        serializer: Serializer,
        progress: ProgressHandler? = nil
    ) async -> TaskResponse<Serializer.Output> {
        await completion { handler in
            self.uploadTask(
                with: request,
                fromFile: fileURL,
                serializer: serializer,
                progress: progress,
                completionHandler: handler
            )
        }
    }

    /// Uploads data and returns the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bodyData: The body.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body.
    /// - Returns: The response, with its value, its error, or both.
    public func response<Serializer: ResponseSerializer>(
        for request: URLRequest,
        from bodyData: Data,
        serializer: Serializer,
        progress: ProgressHandler? = nil
    ) async -> TaskResponse<Serializer.Output> {
        await completion { handler in
            self.uploadTask(
                with: request,
                from: bodyData,
                serializer: serializer,
                progress: progress,
                completionHandler: handler
            )
        }
    }

    /// Downloads a file and returns the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The destination of the file.
    ///   - serializer: Validates the response as one without a body; nil uses the manager's serializer.
    ///   - progress: Receives the progress of the response body.
    /// - Returns: The response; its value is the file's URL. If the Swift task was cancelled, the error's
    ///   ``NetworkError/resumeData`` resumes the download.
    public func response(
        for request: URLRequest,
        to destination: DownloadDestination,
        serializer: (any ResponseSerializer)? = nil,
        progress: ProgressHandler? = nil
    ) async -> TaskResponse<URL> {
        let serializer: any ResponseSerializer = serializer ?? ownSerializer
        return await completion { handler in
            self.downloadTask(
                with: request,
                serializer: serializer,
                progress: progress,
                destination: destination,
                completionHandler: handler
            )
        }
    }

    /// Resumes an earlier download and returns the response.
    ///
    /// - Parameters:
    ///   - resumeData: The resume data of the earlier download.
    ///   - destination: The destination of the file.
    ///   - progress: Receives the progress of the whole body.
    /// - Returns: The response; its value is the file's URL.
    public func response(
        resumingWith resumeData: Data,
        to destination: DownloadDestination,
        progress: ProgressHandler? = nil
    ) async -> TaskResponse<URL> {
        await completion { handler in
            self.downloadTask(
                withResumeData: resumeData,
                progress: progress,
                destination: destination,
                completionHandler: handler
            )
        }
    }

    /// Uploads a file and returns the decoded value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileURL: The file.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    @discardableResult
    public func upload<Serializer: ResponseSerializer>(
        for request: URLRequest,
        fromFile fileURL: URL,
        serializer: Serializer,
        progress: ProgressHandler? = nil
    ) async throws(NetworkError) -> Serializer.Output {
        try await response(for: request, fromFile: fileURL, serializer: serializer, progress: progress).get()
    }

    /// Uploads data and returns the decoded value.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bodyData: The body.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request body.
    /// - Returns: The value.
    /// - Throws: The response's error, or ``NetworkError/Code/noValue`` if there is neither an error nor a value.
    @discardableResult
    public func upload<Serializer: ResponseSerializer>(
        for request: URLRequest,
        from bodyData: Data,
        serializer: Serializer,
        progress: ProgressHandler? = nil
    ) async throws(NetworkError) -> Serializer.Output {
        try await response(for: request, from: bodyData, serializer: serializer, progress: progress).get()
    }

    /// Downloads a file.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The destination of the file; by default a new temporary file, which the caller must remove.
    ///   - progress: Receives the progress of the response body.
    /// - Returns: The file's URL.
    /// - Throws: The response's error. Its ``NetworkError/resumeData`` resumes the download, also if it was cancelled;
    ///   the partial file stays in the temporary directory until then.
    public func download(
        for request: URLRequest,
        to destination: DownloadDestination = .temporary,
        progress: ProgressHandler? = nil
    ) async throws(NetworkError) -> URL {
        try await response(for: request, to: destination, progress: progress).get()
    }

    /// Resumes an earlier download.
    ///
    /// - Parameters:
    ///   - resumeData: The resume data of the earlier download.
    ///   - destination: The destination of the file; by default a new temporary file, which the caller must remove.
    ///   - progress: Receives the progress of the whole body.
    /// - Returns: The file's URL.
    /// - Throws: The response's error. Its ``NetworkError/resumeData`` resumes the download, also if it was cancelled;
    ///   the partial file stays in the temporary directory until then.
    public func download(
        resumingWith resumeData: Data,
        to destination: DownloadDestination = .temporary,
        progress: ProgressHandler? = nil
    ) async throws(NetworkError) -> URL {
        try await response(resumingWith: resumeData, to: destination, progress: progress).get()
    }

    /// Makes a task, resumes it and returns its response; if the task is nil, the handler must be called all the same.
    package func completion<Value: Sendable>(
        of makeTask: (@escaping @Sendable (TaskResponse<Value>) -> Void) -> URLSessionTask?
    ) async -> TaskResponse<Value> {
        let waiter = CompletionWaiter()
        let relay = waiter.relay
        return await withTaskCancellationHandler {
            let task = CompletionWaiter.$current.withValue(waiter) { makeTask { waiter.finish($0) } }
            // An engine may send the request at once.
            if let task, relay.attach(task), let start = startWhenConnected(task) { waiter.attach(start) }
            return await waiter.wait() as? TaskResponse<Value> ?? TaskResponse()
        } onCancel: {
            relay.cancel()
        }
    }

    /// Resumes a task for the first time.
    package func start(_ task: URLSessionTask) {
        // Ferry's own session reports that itself.
        if !task.isOfCurlSession { core.noteResumed(task) }
        task.resume()
    }
}
