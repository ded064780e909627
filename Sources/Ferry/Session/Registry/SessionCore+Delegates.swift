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
        let pipeline = makePipeline(settings, waiter: CompletionWaiter.take()) { [notifications] outcome in
            var response = outcome.response
            var value: Serializer.Output?
            if response.error == nil {
                let result = serializer.serialize(response)
                (value, response.error) = (result.value, result.error?.noting(attemptsOf: response.metrics))
            }
            outcome.settleFile(in: &response, destination: nil, notifications)
            return { [value, response] in
                completionHandler(response.replacing(value: value, error: response.error))
                return TaskCompletion(task: outcome.task, serializer: serializer, value: value, response: response)
            }
        }
        return TaskDelegate(
            maximumBodySize: serializer.maximumBodySize ?? maximumBodySize,
            bodyStreams: bodyStreams,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            progressQueue: settings.progressQueue,
            recovery: settings.recovery,
            complete: pipeline.run
        )
    }

    func makeDownloadDelegate<Serializer: ResponseSerializer>(
        serializer: Serializer,
        progress: ProgressHandler?,
        bodyStreams: BodyStreamSource? = nil,
        destination: DownloadDestination?,
        completionHandler: @escaping @Sendable (TaskResponse<URL>) -> Void
    ) -> TaskDelegate {
        let settings = settings.withLock { $0 }
        let pipeline = makePipeline(settings) { [notifications] outcome in
            var response = outcome.response
            if response.error == nil {
                // A download is validated as a response without a body: the serializer does not decode it.
                let result = serializer.serialize(response)
                response.error = result.error?.noting(attemptsOf: response.metrics)
            }
            outcome.settleFile(in: &response, destination: destination, notifications)
            return { [response] in
                let value = response.fileURL
                completionHandler(response.replacing(value: value, error: response.error))
                return TaskCompletion(task: outcome.task, serializer: serializer, value: value, response: response)
            }
        }
        return TaskDelegate(
            bodyStreams: bodyStreams,
            downloadProgress: progress,
            progressQueue: settings.progressQueue,
            recovery: settings.recovery,
            complete: pipeline.run
        )
    }

    /// Returns a delegate for a task whose body is passed on as it arrives.
    func makeStreamingDelegate(
        sink: any BodySink,
        bodyStreams: BodyStreamSource?,
        hooks: @escaping @Sendable () -> TaskHooks,
        uploadProgress: ProgressHandler?,
        finish: @escaping @Sendable (TaskResponse<Never>) -> Void
    ) -> TaskDelegate {
        let settings = settings.withLock { $0 }
        let pipeline = makePipeline(settings, isImmediate: true) { outcome in
            let response = outcome.response
            return {
                finish(response)
                let serializer = HTTPDataResponseSerializer()
                return TaskCompletion(task: outcome.task, serializer: serializer, value: nil, response: response)
            }
        }
        return TaskDelegate(
            sink: sink,
            bodyStreams: bodyStreams,
            hooks: hooks,
            uploadProgress: uploadProgress,
            progressQueue: settings.progressQueue,
            recovery: settings.recovery,
            complete: pipeline.run
        )
    }

    private func makePipeline(
        _ settings: ManagerSettings,
        isImmediate: Bool = false,
        waiter: CompletionWaiter? = nil,
        prepare: @escaping CompletionPipeline.Preparation
    ) -> CompletionPipeline {
        CompletionPipeline(
            completionQueue: isImmediate ? nil : settings.completionQueue,
            waiter: waiter,
            token: CompletionToken(settings.completionGroup),
            notifications: notifications,
            prepare: prepare
        )
    }
}
