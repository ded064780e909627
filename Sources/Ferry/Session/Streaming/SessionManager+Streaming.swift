import FerrySession

extension SessionManager {
    /// The body of a response in the pieces it comes in.
    ///
    /// The request passes through ``adapt(_:)`` when the first piece is asked for.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - validation: The acceptable status codes and content types.
    ///   - bufferLimit: The number of bytes that may wait to be read before the transfer is suspended. One chunk more
    ///     may come. A system session of Linux cannot be suspended and so has no limit.
    ///   - onResponse: Receives the response, once it has passed validation, on the ``operationQueue``.
    /// - Returns: A sequence.
    public func stream(
        _ request: URLRequest,
        validation: Validation = Validation(),
        bufferLimit: Int = 1 << 20,
        onResponse: (@Sendable (HTTPURLResponse) -> Void)? = nil
    ) -> DataStream {
        stream(validation: validation, bufferLimit: bufferLimit, onResponse: onResponse) { request }
    }

    /// Streams the response to a request that is made when the first piece is asked for.
    func stream(
        validation: Validation,
        bufferLimit: Int,
        onResponse: (@Sendable (HTTPURLResponse) -> Void)?,
        makeRequest: @escaping @Sendable () throws -> URLRequest
    ) -> DataStream {
        DataStream {
            let buffer = StreamBuffer(validation: validation, limit: bufferLimit, onResponse: onResponse)
            let relay = CancellationRelay()
            do {
                let request = try self.adapt(makeRequest())
                let task = self.streamingTask(request, sink: buffer, finish: buffer.finish)
                self.start(task)
                relay.attach(task)
            } catch {
                buffer.finish(TaskResponse(error: NetworkError(requestSerialization: error)))
            }
            return StreamHandle(buffer: buffer, relay: relay)
        }
    }

    /// Makes a task whose response goes to a sink, suspended; the request has been adapted.
    ///
    /// - Parameters:
    ///   - request: The request; its body stream serves once unless it can be copied or `bodyStream` makes more.
    ///   - bodyStream: Makes a stream from the beginning of the body.
    ///   - sink: Takes response and body on the operation queue.
    ///   - hooks: What decides for this task.
    ///   - uploadProgress: Receives the progress of the request's body.
    ///   - finish: Receives the end, once, on the processing queue.
    /// - Returns: The task.
    func streamingTask(
        _ request: URLRequest,
        bodyStream: (@Sendable () -> InputStream?)? = nil,
        sink: any BodySink,
        hooks: TaskHooks = TaskHooks(),
        uploadProgress: ProgressHandler? = nil,
        finish: @escaping @Sendable (TaskResponse<Never>) -> Void
    ) -> URLSessionDataTask {
        let delegate = core.makeStreamingDelegate(
            sink: sink,
            bodyStreams: request.httpBodyStream.map { _ in
                BodyStreamSource(request: request, replay: bodyStream, isAskedFirst: false)
            },
            hooks: hooks,
            uploadProgress: uploadProgress,
            finish: finish
        )
        return core.makeTask(delegate, refusal: nil, request: request) { session in
            session.dataTask(with: request)
        } makeRefused: { session in
            session.dataTask(with: request)
        }
    }
}
