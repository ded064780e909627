/// The running requests of a batch, and the stream of their responses; when it is released, the requests are cancelled.
final class BatchRun<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var sentCount = 0
        var readCount = 0
        var running: [Int: URLSessionTask] = [:]
        var isCancelled = false
        var bytes: [Int: Int64] = [:]
        var progress: BatchProgress
        var isTelling = false
    }

    /// The responses in the order in which they arrive.
    let responses: AsyncStream<BatchResponse<Value>>

    private let arrivals: AsyncStream<BatchResponse<Value>>.Continuation
    private let manager: HTTPSessionManager
    private let requests: [Request<Value>]
    private let limit: Int
    private let tell: (@Sendable (BatchProgress) -> Void)?
    private let queue = DispatchQueue(label: "ferry.batch", target: ManagerQueues.completion)
    private let state: Mutex<State>

    /// Creates a batch, of which ``send()`` sends the first requests.
    init(
        _ requests: [Request<Value>],
        of manager: HTTPSessionManager,
        limit: Int,
        progress: (@Sendable (BatchProgress) -> Void)?
    ) {
        (responses, arrivals) = AsyncStream.makeStream()
        (self.manager, self.requests, self.limit) = (manager, requests, max(1, limit))
        tell = progress
        state = Mutex(State(progress: BatchProgress(totalCount: requests.count)))
        if requests.isEmpty { arrivals.finish() }
    }

    deinit { cancel() }

    /// Sends requests, until as many as the limit are running or have a response that has not been read.
    func send() {
        while let index = nextIndex() {
            var request = requests[index]
            if tell != nil {
                let own = request.downloadProgress
                request.downloadProgress = { [weak self] update in
                    own?(update)
                    self?.note(update.completedByteCount, at: index)
                }
            }
            let task = manager.task(for: request) { [weak self] response in
                guard let self else { return }
                queue.async { self.receive(response, at: index) }
            }
            guard let task else { continue }
            let isCancelled = state.withLock { state in
                state.running[index] = task
                return state.isCancelled
            }
            if isCancelled { task.cancel() } else { manager.start(task) }
        }
    }

    private func nextIndex() -> Int? {
        state.withLock { state in
            let isFull = state.sentCount - state.readCount >= limit
            guard !state.isCancelled, !isFull, state.sentCount < requests.count else { return nil }
            defer { state.sentCount += 1 }
            return state.sentCount
        }
    }

    /// Notes that a response has been read, and sends the next request.
    func didRead() throws(NetworkError) {
        let isCancelled = state.withLock { state in
            state.readCount += 1
            return state.isCancelled
        }
        if isCancelled { throw NetworkError(.cancelled, message: "The batch was cancelled") }
        send()
    }

    /// Cancels the running requests, and sends no more.
    func cancel() {
        let running = state.withLock { state in
            state.isCancelled = true
            defer { state.running = [:] }
            return state.running
        }
        for task in running.values { task.cancel() }
        arrivals.finish()
    }

    private func receive(_ response: TaskResponse<Value>, at index: Int) {
        let isLast = state.withLock { state in
            state.running[index] = nil
            state.progress.finishedCount += 1
            if response.error != nil { state.progress.failedCount += 1 }
            return state.progress.finishedCount == requests.count
        }
        tellProgress()
        arrivals.yield(BatchResponse(index: index, response: response))
        if isLast { arrivals.finish() }
    }

    // MARK: - Progress

    private func note(_ bytes: Int64, at index: Int) {
        let isFirst = state.withLock { state in
            state.progress.completedByteCount += bytes - (state.bytes[index] ?? 0)
            state.bytes[index] = bytes
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if isFirst { queue.async { self.tellProgress() } }
    }

    /// Reports the latest progress; runs on the serial queue.
    private func tellProgress() {
        let progress = state.withLock { state in
            state.isTelling = false
            return state.progress
        }
        tell?(progress)
    }
}
