/// A buffer of limited size for the pieces of a body between a session and a reader.
final class StreamBuffer: BodySink {
    typealias Reader = CheckedContinuation<Data?, any Error>

    private struct State: Sendable {
        /// The pieces that wait to be read, and the number of their bytes.
        var chunks = FIFOQueue<Data>()
        var byteCount = 0
        var reader: Reader?
        var end: Result<Data?, any Error>?
        /// The body of a response that did not pass validation.
        var rejection: RejectedBody?
        var pause = PauseState()

        /// Removes and returns the oldest piece; nil if there is none.
        mutating func takeChunk(limit: Int) -> Data? {
            let chunk = chunks.popFirst()
            byteCount -= chunk?.count ?? 0
            if byteCount <= limit / 4 { pause.wanted = false }
            return chunk
        }
    }

    private let validation: Validation
    private let limit: Int
    private let onResponse: (@Sendable (HTTPURLResponse) -> Void)?
    private let task = Mutex<URLSessionTask?>(nil)
    private let state = Mutex(State())

    /// Creates a buffer; the transfer is paused beyond `limit` bytes, and resumes at a quarter of that.
    init(validation: Validation, limit: Int, onResponse: (@Sendable (HTTPURLResponse) -> Void)?) {
        self.validation = validation
        self.limit = max(1, limit)
        self.onResponse = onResponse
    }

    // MARK: - Called by the session

    func receive(_ response: URLResponse, of task: URLSessionTask) {
        // A task that would start over when it is resumed, as FoundationNetworking's does, is never paused.
        if !task.isFoundationNetworking { self.task.withLock { $0 = task } }
        let isValid = validation.validate(response: response, data: nil).isValid
        let rejection = isValid ? nil : RejectedBody(of: response, to: task.currentRequest ?? task.originalRequest)
        state.withLock { $0.rejection = rejection }
        if isValid, let response = response as? HTTPURLResponse { onResponse?(response) }
    }

    func receive(_ data: Data, of task: URLSessionTask) {
        if let isEnough = state.withLock({ $0.rejection?.append(data) }) {
            if isEnough, let error = state.withLock({ $0.rejection })?.error(validation) {
                end(with: .failure(error))
                task.cancel()
            }
            return
        }
        let reader = state.withLock { state -> Reader? in
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            state.chunks.append(data)
            state.byteCount += data.count
            if state.byteCount > limit { state.pause.wanted = true }
            return nil
        }
        if let reader { return reader.resume(returning: data) }
        applyPause()
    }

    func finish(_ response: TaskResponse<Never>) {
        let rejection = state.withLock { $0.rejection }?.error(validation)
        let error = response.error ?? rejection?.noting(attemptsOf: response.metrics)
        end(with: error.map { Result<Data?, any Error>.failure($0) } ?? .success(nil))
        task.withLock { $0 = nil }
    }

    /// Sets the end, unless there is one, and passes it to a waiting reader.
    private func end(with end: Result<Data?, any Error>) {
        let reader = state.withLock { state -> Reader? in
            state.pause.wanted = false
            guard state.end == nil else { return nil }
            state.end = end
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(with: end)
    }

    // MARK: - Called by the reader

    /// Passes the next piece to a reader, now or when it arrives.
    func read(with reader: Reader) {
        let answer = state.withLock { state -> Result<Data?, any Error>? in
            if let chunk = state.takeChunk(limit: limit) { return .success(chunk) }
            if let end = state.end {
                // An error is thrown once; a loop that continues reaches the end.
                state.end = .success(nil)
                return end
            }
            guard state.reader == nil else { return .failure(NetworkError(.unknown, message: "Another reader waits")) }
            state.reader = reader
            return nil
        }
        if let answer { reader.resume(with: answer) }
        applyPause()
    }

    /// Suspends or resumes the task as needed; one caller at a time does so, so that the latest state applies.
    private func applyPause() {
        while let pauses = state.withLock({ $0.pause.begin() }) {
            let task = task.withLock { $0 }
            if pauses { task?.suspend() } else { task?.resume() }
            state.withLock { $0.pause.end() }
        }
    }
}

/// Whether a transfer should be paused, and whether it is.
struct PauseState: Sendable {
    /// Whether the transfer should be paused.
    var wanted = false

    private var isPaused = false
    private var isChanging = false

    /// Begins a change if one is due and none is under way; returns true to pause and false to resume.
    mutating func begin() -> Bool? {
        guard !isChanging, wanted != isPaused else { return nil }
        isChanging = true
        isPaused = wanted
        return wanted
    }

    mutating func end() { isChanging = false }
}
