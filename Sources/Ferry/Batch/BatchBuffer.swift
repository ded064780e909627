import Foundation

/// The requests of a batch that are running, and the responses waiting to be read.
final class BatchBuffer<Value: Sendable>: Sendable {
    typealias Reader = CheckedContinuation<BatchResponse<Value>?, any Error>

    /// Makes the task of the request with the given index; nil if there is none to start.
    typealias Maker =
        @Sendable (
            _ index: Int, _ progress: @escaping ProgressHandler,
            _ handler: @escaping @Sendable (TaskResponse<Value>) -> Void
        ) -> URLSessionTask?

    private struct State: Sendable {
        var next = 0
        /// The tasks of the requests that have been sent; nil until a request has one.
        var running: [Int: URLSessionTask?] = [:]
        var ready: [BatchResponse<Value>] = []
        var reader: Reader?
        var isCancelled = false
        var bytes: [Int: Int64] = [:]
        var progress: BatchProgress
        var isTelling = false
    }

    private let count: Int
    private let limit: Int
    private let make: Maker
    private let start: @Sendable (URLSessionTask) -> Void
    private let tell: (@Sendable (BatchProgress) -> Void)?
    private let queue = DispatchQueue(label: "ferry.batch", target: ManagerQueues.completion)
    private let state: Mutex<State>

    /// Creates a buffer; nothing is sent until the first response is read.
    init(
        count: Int,
        limit: Int,
        progress: (@Sendable (BatchProgress) -> Void)?,
        start: @escaping @Sendable (URLSessionTask) -> Void,
        make: @escaping Maker
    ) {
        self.count = count
        self.limit = Swift.max(1, limit)
        (self.start, self.make) = (start, make)
        tell = progress
        state = Mutex(State(progress: BatchProgress(totalCount: count)))
    }

    // MARK: - Reading

    /// Resumes the reader with the next response, immediately or when it arrives.
    func read(with reader: Reader) {
        let answer = state.withLock { state -> Result<BatchResponse<Value>?, any Error>? in
            if state.isCancelled { return .failure(NetworkError.batchCancelled) }
            if !state.ready.isEmpty { return .success(state.ready.removeFirst()) }
            if state.next == count, state.running.isEmpty { return .success(nil) }
            state.reader = reader
            return nil
        }
        if let answer { reader.resume(with: answer) }
        fill()
    }

    /// Cancels the running requests, and sends no more.
    func cancel() {
        let (running, reader) = state.withLock { state in
            state.isCancelled = true
            state.ready = []
            defer { (state.running, state.reader) = ([:], nil) }
            return (state.running, state.reader)
        }
        for task in running.values { task?.cancel() }
        reader?.resume(throwing: NetworkError.batchCancelled)
    }

    // MARK: - Sending

    /// Sends requests up to the limit.
    private func fill() {
        while let index = claim() {
            let note: ProgressHandler = { [weak self] in self?.note($0.completedByteCount, at: index) }
            let task = make(index, note) { response in
                self.queue.async { self.receive(response, at: index) }
            }
            let isStale = state.withLock { state in
                if state.running[index] != nil { state.running[index] = .some(task) }
                return state.isCancelled
            }
            guard let task else { continue }
            if isStale { task.cancel() } else { start(task) }
        }
    }

    private func claim() -> Int? {
        state.withLock { state in
            let isFull = state.running.count + state.ready.count >= limit
            guard !state.isCancelled, state.next < count, !isFull else { return nil }
            defer { state.next += 1 }
            state.running[state.next] = .some(nil)
            return state.next
        }
    }

    private func receive(_ response: TaskResponse<Value>, at index: Int) {
        state.withLock { state in
            state.progress.finishedCount += 1
            if response.error != nil { state.progress.failedCount += 1 }
        }
        tellProgress()
        let element = BatchResponse(index: index, response: response)
        let reader = state.withLock { state -> Reader? in
            guard state.running.removeValue(forKey: index) != nil else { return nil }
            defer { state.reader = nil }
            if state.reader == nil { state.ready.append(element) }
            return state.reader
        }
        reader?.resume(returning: element)
        fill()
    }

    private func note(_ bytes: Int64, at index: Int) {
        guard tell != nil else { return }
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

extension NetworkError {
    fileprivate static var batchCancelled: NetworkError {
        NetworkError(.cancelled, message: "The batch was cancelled")
    }
}
