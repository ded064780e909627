// The methods that take a serializer document the parameters.
extension SessionManager {
    /// Creates a suspended data task that uses the manager's response serializer.
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

    /// Creates a suspended upload task for a file that uses the manager's response serializer.
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

    /// Creates a suspended upload task for data that uses the manager's response serializer.
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

    /// Creates a suspended upload task for a stream that uses the manager's response serializer.
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

    /// Creates a suspended download task whose response the manager's response serializer validates.
    ///
    /// Without a destination the file is removed.
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

    /// Creates a suspended download task whose destination is chosen once the file has been downloaded.
    ///
    /// The closure runs once, after validation, on a queue of the library; if it returns nil, the file is removed.
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

    /// Creates a suspended download task that resumes an earlier download.
    ///
    /// Without a destination the file is removed.
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

    /// The manager's response serializer at this moment.
    var ownSerializer: UntypedResponseSerializer { UntypedResponseSerializer(base: responseSerializer) }
}
