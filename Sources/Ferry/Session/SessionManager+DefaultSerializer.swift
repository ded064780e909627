import FerrySession

extension SessionManager {
    /// Makes a data task with the manager's own response serializer, suspended.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - uploadProgress: Receives the progress of the request's body.
    ///   - downloadProgress: Receives the progress of the response's body.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
    public func dataTask(
        with request: URLRequest,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionDataTask {
        dataTask(
            with: request,
            serializer: ownSerializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            completionHandler: completionHandler
        )
    }

    /// Makes an upload task from a file with the manager's own response serializer, suspended.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileURL: The file.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
    public func uploadTask(
        with request: URLRequest,
        fromFile fileURL: URL,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            with: request,
            fromFile: fileURL,
            serializer: ownSerializer,
            progress: progress,
            completionHandler: completionHandler
        )
    }

    /// Makes an upload task from data with the manager's own response serializer, suspended.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bodyData: The body; nil for an empty one.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
    public func uploadTask(
        with request: URLRequest,
        from bodyData: Data?,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            with: request,
            from: bodyData,
            serializer: ownSerializer,
            progress: progress,
            completionHandler: completionHandler
        )
    }

    /// Makes an upload task from a stream with the manager's own response serializer, suspended.
    ///
    /// - Parameters:
    ///   - request: The request, with its body stream.
    ///   - progress: Receives the progress of the request's body.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
    public func uploadTask(
        withStreamedRequest request: URLRequest,
        progress: ProgressHandler? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<any Sendable>) -> Void
    ) -> URLSessionUploadTask {
        uploadTask(
            withStreamedRequest: request,
            serializer: ownSerializer,
            progress: progress,
            completionHandler: completionHandler
        )
    }

    /// Makes a download task whose response the manager's own serializer validates, suspended.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - progress: Receives the progress of the response's body.
    ///   - destination: Where the file goes; nil leaves none.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
    public func downloadTask(
        with request: URLRequest,
        progress: ProgressHandler? = nil,
        destination: DownloadDestination?,
        completionHandler: @escaping @Sendable (TaskResponse<URL>) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(
            with: request,
            serializer: ownSerializer,
            progress: progress,
            destination: destination,
            completionHandler: completionHandler
        )
    }

    /// Makes a download task whose destination is decided on when the file is there, suspended.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - progress: Receives the progress of the response's body.
    ///   - destination: Gives the place from the temporary one and the response; nil leaves no file. Runs on the
    ///     processing queue, after validation.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
    public func downloadTask(
        with request: URLRequest,
        progress: ProgressHandler? = nil,
        destination: @escaping DownloadDestination.Resolver,
        completionHandler: @escaping @Sendable (TaskResponse<URL>) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(
            with: request,
            progress: progress,
            destination: DownloadDestination(resolver: destination),
            completionHandler: completionHandler
        )
    }

    /// Makes a download task that goes on where another one stopped, suspended.
    ///
    /// - Parameters:
    ///   - resumeData: What an earlier task left.
    ///   - progress: Receives the progress of the whole body.
    ///   - destination: Where the file goes; nil leaves none.
    ///   - completionHandler: Receives what the request came to, once, on ``completionQueue``.
    /// - Returns: The task.
    public func downloadTask(
        withResumeData resumeData: Data,
        progress: ProgressHandler? = nil,
        destination: DownloadDestination?,
        completionHandler: @escaping @Sendable (TaskResponse<URL>) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(
            withResumeData: resumeData,
            serializer: ownSerializer,
            progress: progress,
            destination: destination,
            completionHandler: completionHandler
        )
    }

    /// The manager's serializer as it is now.
    var ownSerializer: UntypedResponseSerializer { UntypedResponseSerializer(base: responseSerializer) }
}
