extension SessionManager {
    /// Returns the body of a response, piece by piece as it arrives.
    ///
    /// The request is sent, after ``adapt(_:)``, when the first piece is read.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - validation: The acceptable status codes and content types.
    ///   - bufferLimit: The number of bytes that may wait to be read before the transfer is suspended; 1 MiB by
    ///     default. One more piece may arrive. The system's session cannot be suspended on Linux, and so has no limit.
    ///   - onResponse: Called with a response that has passed validation, on the ``operationQueue``.
    /// - Returns: A sequence of pieces.
    public func stream(
        _ request: URLRequest,
        validation: Validation = Validation(),
        bufferLimit: Int = 1 << 20,
        onResponse: (@Sendable (HTTPURLResponse) -> Void)? = nil
    ) -> DataStream {
        stream(
            validation: validation,
            bufferLimit: bufferLimit,
            onResponse: onResponse,
            lastEventID: request.lastEventID
        ) { request }
    }

    /// Streams the response to a request that is made when the first piece is read.
    func stream(
        validation: Validation,
        bufferLimit: Int,
        onResponse: (@Sendable (HTTPURLResponse) -> Void)?,
        lastEventID: String,
        recovery: RequestRecovery = RequestRecovery(),
        uploadProgress: ProgressHandler? = nil,
        makeRequest: @escaping @Sendable () throws -> URLRequest
    ) -> DataStream {
        DataStream(lastEventID: lastEventID) {
            let buffer = StreamBuffer(validation: validation, limit: bufferLimit, onResponse: onResponse)
            let relay = CancellationRelay()
            do {
                let request = try self.adapt(makeRequest())
                let task = self.streamingTask(
                    request,
                    sink: buffer,
                    uploadProgress: uploadProgress,
                    finish: buffer.finish
                )
                recovery.apply(to: task)
                // The reader's Swift task may be cancelled already.
                if Task.isCancelled { relay.cancel() }
                if relay.attach(task) { self.start(task) }
            } catch {
                buffer.finish(TaskResponse(error: NetworkError(requestSerialization: error)))
            }
            return ReaderHold(buffer, relay)
        }
    }
}
