import FerrySession

extension SessionManager {
    /// Sends a request and gives everything it came to; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates and decodes the response.
    ///   - uploadProgress: Receives the progress of the request's body.
    ///   - downloadProgress: Receives the progress of the response's body.
    /// - Returns: The response, with its value, its error, or both.
    public func response<Serializer: ResponseSerializer>(
        for request: URLRequest,
        serializer: Serializer,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil
    ) async -> TaskResponse<Serializer.Output> {
        await completion { handler in
            self.dataTask(
                with: request,
                serializer: serializer,
                uploadProgress: uploadProgress,
                downloadProgress: downloadProgress,
                completionHandler: handler
            )
        }
    }

    /// Uploads a file and gives everything that came of it; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileURL: The file.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request's body.
    /// - Returns: The response, with its value, its error, or both.
    public func upload<Serializer: ResponseSerializer>(
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

    /// Uploads data and gives everything that came of it; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bodyData: The body.
    ///   - serializer: Validates and decodes the response.
    ///   - progress: Receives the progress of the request's body.
    /// - Returns: The response, with its value, its error, or both.
    public func upload<Serializer: ResponseSerializer>(
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

    /// Downloads a file and gives everything that came of it; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: Where the file goes; by default a new temporary file, which is the caller's to remove.
    ///   - progress: Receives the progress of the response's body.
    /// - Returns: The response; its value is the file's URL.
    public func download(
        for request: URLRequest,
        to destination: DownloadDestination = .temporary,
        progress: ProgressHandler? = nil
    ) async -> TaskResponse<URL> {
        await completion { handler in
            self.downloadTask(
                with: request,
                progress: progress,
                destination: destination,
                completionHandler: handler
            )
        }
    }

    /// Goes on with a download where it stopped; cancelling the Swift task cancels the transfer.
    ///
    /// - Parameters:
    ///   - resumeData: What the earlier download left.
    ///   - destination: Where the file goes; by default a new temporary file, which is the caller's to remove.
    ///   - progress: Receives the progress of the whole body.
    /// - Returns: The response; its value is the file's URL.
    public func download(
        resumingWith resumeData: Data,
        to destination: DownloadDestination = .temporary,
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

    /// Makes a task, runs it and waits for its completion; a nil task has a completion too.
    func completion<Value: Sendable>(
        of makeTask: (@escaping @Sendable (TaskResponse<Value>) -> Void) -> URLSessionTask?
    ) async -> TaskResponse<Value> {
        let relay = CancellationRelay()
        let waiter = CompletionWaiter()
        let received = Locked<TaskResponse<Value>?>(nil)
        return await withTaskCancellationHandler {
            let waiting = CancellationRelay()
            let made = CompletionWaiter.$current.withValue(waiter) {
                makeTask { response in
                    waiting.cancel()
                    received.withLock { $0 = response }
                    waiter.wake()
                }
            }
            if let made {
                startWhenConnected(made, waiting)
                relay.attach(made)
            }
            return await waiter.wait(for: received)
        } onCancel: {
            relay.cancel()
        }
    }

    /// Resumes a task for the first time.
    func start(_ task: URLSessionTask) {
        core.noteResumed(task)
        task.resume()
    }
}
