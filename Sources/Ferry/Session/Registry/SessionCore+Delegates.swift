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
        let settings = settings.withLock { $0 }
        let pipeline = makePipeline(
            settings,
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
                (response.value, response.error) = (result.value, result.error)
            }
            outcome.settleFile(in: &response, destination: nil)
            return response
        }
        return TaskDelegate(
            maximumBytes: serializer.maximumBytes,
            bodyStreams: bodyStreams,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            progressQueue: settings.progressQueue,
            complete: pipeline.run
        )
    }

    /// Returns a delegate for a download.
    func makeDownloadDelegate<Serializer: ResponseSerializer>(
        serializer: Serializer,
        progress: ProgressHandler?,
        bodyStreams: BodyStreamSource? = nil,
        destination: DownloadDestination?,
        completionHandler: @escaping @Sendable (TaskResponse<URL>) -> Void
    ) -> TaskDelegate {
        let settings = settings.withLock { $0 }
        let pipeline = makePipeline(settings, serializer: serializer, completionHandler: completionHandler) { outcome in
            var response = TaskResponse<URL>(outcome)
            if response.error == nil {
                // A download is validated as a response without a body: the serializer does not decode it.
                let result = serializer.serialize(request: outcome.request, response: outcome.response, data: nil)
                response.error = result.error
            }
            outcome.settleFile(in: &response, destination: destination)
            response.value = response.fileURL
            return response
        }
        return TaskDelegate(
            bodyStreams: bodyStreams,
            downloadProgress: progress,
            progressQueue: settings.progressQueue,
            complete: pipeline.run
        )
    }

    /// Returns a delegate for a task whose body is passed on as it arrives.
    func makeStreamingDelegate(
        sink: any BodySink,
        bodyStreams: BodyStreamSource?,
        hooks: TaskHooks,
        uploadProgress: ProgressHandler?,
        finish: @escaping @Sendable (TaskResponse<Never>) -> Void
    ) -> TaskDelegate {
        let settings = settings.withLock { $0 }
        let pipeline = makePipeline(
            settings,
            serializer: HTTPDataResponseSerializer(),
            isImmediate: true,
            completionHandler: finish
        ) { TaskResponse<Never>($0) }
        return TaskDelegate(
            body: .streamed(sink),
            bodyStreams: bodyStreams,
            hooks: hooks,
            uploadProgress: uploadProgress,
            progressQueue: settings.progressQueue,
            complete: pipeline.run
        )
    }

    private func makePipeline<Value: Sendable>(
        _ settings: ManagerSettings,
        serializer: some ResponseSerializer,
        isImmediate: Bool = false,
        waiter: CompletionWaiter? = nil,
        completionHandler: @escaping @Sendable (TaskResponse<Value>) -> Void,
        makeResponse: @escaping @Sendable (TaskOutcome) -> TaskResponse<Value>
    ) -> CompletionPipeline<Value> {
        CompletionPipeline(
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
