import Foundation

extension HTTPSessionManager {
    /// Sends many requests, a few at a time, and returns the responses as they arrive.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - maxConcurrent: The greatest number of requests that are running, or finished and not yet read, at the same
    ///     time; at least 1.
    ///   - progress: Called with the progress of the whole batch, serially, on a private queue. The call for a finished
    ///     request comes before its response.
    /// - Returns: A sequence of responses, each with the index of its request.
    public func batch<Value>(
        _ requests: [Request<Value>],
        maxConcurrent: Int = 4,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) -> RequestBatch<Value> {
        RequestBatch {
            BatchBuffer(count: requests.count, limit: maxConcurrent, progress: progress) { index, note, handler in
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

    /// Sends many requests, a few at a time, and returns all responses when the last has arrived.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - maxConcurrent: The greatest number of requests that are running at the same time; at least 1.
    ///   - progress: Called with the progress of the whole batch, serially, on a private queue.
    /// - Returns: A response for each request, in the same order; one that failed has an error.
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
