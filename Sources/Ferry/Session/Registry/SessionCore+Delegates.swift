import Foundation

extension SessionCore {
    /// Returns a delegate for a task whose body is decoded; it uses the manager's settings as they are now.
    func makeDelegate<Serializer: ResponseSerializer>(
        serializer: Serializer,
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        bodyStreams: BodyStreamSource? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> TaskDelegate {
        let pipeline = makePipeline(
            serializer: serializer,
            waiter: CompletionWaiter.take(),
            completionHandler: completionHandler
        ) { outcome in
            var response = TaskResponse<Serializer.Output>(outcome)
            if response.error == nil {
                let result = serializer.serialize(
                    request: outcome.request,
                    response: outcome.response,
                    data: outcome.data
                )
                response.value = result.value
                response.error = result.error
            }
            let file = DownloadedFile(outcome, destination: nil).settle(error: response.error)
            response.fileURL = file.url
            response.error = file.error
            return response
        }
        return makeDelegate(
            maximumBytes: serializer.maximumBytes,
            bodyStreams: bodyStreams,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            complete: pipeline.run
        )
    }

    /// Returns a delegate for a download.
    func makeDownloadDelegate<Serializer: ResponseSerializer>(
        serializer: Serializer,
        progress: ProgressHandler?,
        destination: DownloadDestination?,
        completionHandler: @escaping @Sendable (TaskResponse<URL>) -> Void
    ) -> TaskDelegate {
        let pipeline = makePipeline(serializer: serializer, completionHandler: completionHandler) { outcome in
            var response = TaskResponse<URL>(outcome)
            if response.error == nil {
                // A download is validated as a response without a body: the serializer does not decode it.
                let result = serializer.serialize(request: outcome.request, response: outcome.response, data: nil)
                response.error = result.error
            }
            let file = DownloadedFile(outcome, destination: destination).settle(error: response.error)
            response.fileURL = file.url
            response.value = file.url
            response.error = file.error
            return response
        }
        return makeDelegate(downloadProgress: progress, complete: pipeline.run)
    }

    /// Returns a delegate for a task whose body is passed on as it arrives.
    func makeStreamingDelegate(
        sink: any BodySink,
        bodyStreams: BodyStreamSource?,
        hooks: TaskHooks,
        uploadProgress: ProgressHandler?,
        finish: @escaping @Sendable (TaskResponse<Never>) -> Void
    ) -> TaskDelegate {
        let serializer = HTTPDataResponseSerializer()
        let pipeline = makePipeline(serializer: serializer, isImmediate: true, completionHandler: finish) { outcome in
            TaskResponse<Never>(outcome)
        }
        return makeDelegate(
            body: .streamed(sink),
            bodyStreams: bodyStreams,
            hooks: hooks,
            uploadProgress: uploadProgress,
            complete: pipeline.run
        )
    }

    private func makePipeline<Value: Sendable>(
        serializer: some ResponseSerializer,
        isImmediate: Bool = false,
        waiter: CompletionWaiter? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void,
        makeResponse: @escaping @Sendable (TaskOutcome) -> TaskResponse<Value>
    ) -> CompletionPipeline<Value> {
        let settings = settings.withLock { $0 }
        return CompletionPipeline(
            makeResponse: makeResponse,
            completionHandler: completionHandler,
            completionQueue: isImmediate ? nil : settings.completionQueue,
            waiter: waiter,
            token: CompletionToken(settings.completionGroup),
            serializer: serializer,
            notifications: notifications,
            monitor: settings.monitor
        )
    }

    private func makeDelegate(
        body: TaskDelegate.Body = .collected,
        maximumBytes: Int? = nil,
        bodyStreams: BodyStreamSource? = nil,
        hooks: TaskHooks = TaskHooks(),
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        complete: @escaping @Sendable (TaskOutcome) -> Void
    ) -> TaskDelegate {
        let queue = settings.withLock { $0.progressQueue }
        return TaskDelegate(
            body: body,
            maximumBytes: maximumBytes,
            bodyStreams: bodyStreams,
            hooks: hooks,
            uploadProgress: ProgressReporter(handler: uploadProgress, queue: queue),
            downloadProgress: ProgressReporter(handler: downloadProgress, queue: queue),
            complete: complete
        )
    }
}

extension TaskResponse {
    /// Creates a response from the outcome of a task, without a value.
    fileprivate init(_ outcome: TaskOutcome) {
        self.init(
            request: outcome.request,
            response: outcome.response,
            data: outcome.data,
            error: outcome.error,
            metrics: outcome.metrics
        )
    }
}
