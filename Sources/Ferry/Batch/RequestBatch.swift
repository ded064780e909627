extension HTTPSessionManager {
    /// Sends many requests, a few at a time, and returns the responses as they arrive.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - maximumConcurrentRequests: The greatest number of requests that are running, or finished and not yet read,
    ///     at the same time; at least 1.
    ///   - progress: Called with the progress of the whole batch, serially, on a private queue. The call for a finished
    ///     request comes before its response.
    /// - Returns: A sequence of responses, each with the index of its request.
    public func batch<Value>(
        _ requests: [Request<Value>],
        maximumConcurrentRequests: Int = 4,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) -> RequestBatch<Value> {
        RequestBatch { BatchRun(requests, of: self, limit: maximumConcurrentRequests, progress: progress) }
    }

    /// Sends many requests, a few at a time, and returns all responses when the last has arrived.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - maximumConcurrentRequests: The greatest number of requests that are running at the same time; at least 1.
    ///   - progress: Called with the progress of the whole batch, serially, on a private queue.
    /// - Returns: A response for each request, in the same order; that of a failed request has an error.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/cancelled`` if the Swift task was cancelled.
    public func responses<Value>(
        for requests: [Request<Value>],
        maximumConcurrentRequests: Int = 4,
        progress: (@Sendable (BatchProgress) -> Void)? = nil
    ) async throws -> [TaskResponse<Value>] {
        var responses = [TaskResponse<Value>](repeating: TaskResponse(), count: requests.count)
        for try await element in batch(
            requests,
            maximumConcurrentRequests: maximumConcurrentRequests,
            progress: progress
        ) {
            responses[element.index] = element.response
        }
        return responses
    }
}

/// The responses to many requests, in the order in which they arrive.
///
/// Each iterator sends the requests again. The limit applies to the requests that are running or waiting to be read.
/// Leaving the loop or cancelling the Swift task cancels the running requests, at the latest when the loop asks for the
/// next response. A request that fails produces a response with its error, and the loop continues.
///
/// ```swift
/// for try await response in manager.batch(requests, maximumConcurrentRequests: 4) {
///     print(
///         response.index,
///         response.value ?? "none",
///         response.error?.message ?? "no error"
///     )
/// }
/// ```
public struct RequestBatch<Value: Sendable>: AsyncSequence, Sendable {
    /// The response to one request.
    public typealias Element = BatchResponse<Value>

    let start: @Sendable () -> BatchRun<Value>

    /// Returns an iterator that sends the requests.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start()) }

    /// An iterator over the responses.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let run: BatchRun<Value>
        private var responses: AsyncStream<BatchResponse<Value>>.Iterator

        fileprivate init(_ run: BatchRun<Value>) {
            self.run = run
            responses = run.responses.makeAsyncIterator()
        }

        /// Returns the next response; nil after the last.
        ///
        /// - Returns: The response, with the index of its request.
        /// - Throws: ``NetworkError`` with ``NetworkError/Code/cancelled`` if the Swift task was cancelled.
        public mutating func next() async throws -> BatchResponse<Value>? {
            let run = run
            let response = await withTaskCancellationHandler {
                run.send()
                return await responses.next()
            } onCancel: {
                run.cancel()
            }
            try run.didRead()
            return response
        }
    }
}

/// The result of one request of a batch.
@dynamicMemberLookup
public struct BatchResponse<Value: Sendable>: Sendable {
    /// The index of the request in the batch, starting at 0.
    public var index: Int

    /// The response, with its value or error.
    public var response: TaskResponse<Value>

    /// Accesses a property of the response, such as its value.
    public subscript<Member>(dynamicMember keyPath: KeyPath<TaskResponse<Value>, Member>) -> Member {
        response[keyPath: keyPath]
    }
}

/// The progress of a batch of requests.
public struct BatchProgress: Sendable, Hashable {
    /// The number of finished requests, including those that failed.
    public var finishedCount = 0

    /// The number of finished requests that failed.
    public var failedCount = 0

    /// The number of requests in the batch.
    public var totalCount: Int

    /// The number of bytes of response bodies that have arrived.
    public var completedByteCount: Int64 = 0

    /// The fraction of requests that have finished, from 0 to 1; 1 for an empty batch.
    public var fractionCompleted: Double { totalCount > 0 ? Double(finishedCount) / Double(totalCount) : 1 }
}
