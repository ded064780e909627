import FerrySession

extension HTTPSessionManager {
    /// Sends many requests, a few at a time, and gives the responses as they come.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - maxConcurrent: How many are under way, or through and not read yet, at once; at least 1.
    ///   - progress: Receives the progress of the whole batch, one call after the other, on a queue of the library's; that
    ///     of a request comes before its response.
    /// - Returns: A sequence of responses, each with the place of its request.
    public func batch<Value>(
        _ requests: [Request<Value>],
        maxConcurrent: Int = 4,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) -> RequestBatch<Value> {
        RequestBatch {
            BatchMailbox(count: requests.count, limit: maxConcurrent, progress: progress) { index, note, handler in
                var request = requests[index]
                let own = request.downloadProgress
                request.downloadProgress = { update in
                    own?(update)
                    note(update)
                }
                let relay = CancellationRelay()
                if let task = self.send(request, completionHandler: handler) { relay.attach(task) }
                return relay
            }
        }
    }

    /// Sends many requests, a few at a time, and gives all responses when the last has come.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - maxConcurrent: How many are under way at once; at least 1.
    ///   - progress: Receives the progress of the whole batch, one call after the other, on a queue of the library's.
    /// - Returns: A response for each request, in their order; one that failed has an error.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/cancelled`` if the Swift task was cancelled.
    public func responses<Value>(
        for requests: [Request<Value>],
        maxConcurrent: Int = 4,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws -> [TaskResponse<Value>] {
        var responses = [TaskResponse<Value>](repeating: TaskResponse(), count: requests.count)
        for try await element in batch(requests, maxConcurrent: maxConcurrent, progress: progress) {
            responses[element.index] = element.response
        }
        return responses
    }
}
