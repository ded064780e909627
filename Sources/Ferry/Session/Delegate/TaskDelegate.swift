/// The callbacks of one task: collects the body, reports progress, keeps the downloaded file, and completes once.
///
/// It retains everything that its completion needs, so that a task completes after its manager has been released. Its
/// callbacks run one at a time on the session's delegate queue.
final class TaskDelegate: Sendable {
    var collectsBody: Bool { sink == nil }

    /// The receiver of the body as it arrives; `nil` if the body is collected.
    private let sink: (any BodySink)?
    private let maximumBodySize: Int?
    private let bodyStreams: BodyStreamSource?
    private let complete: @Sendable (TaskOutcome) -> Void
    private let state: Mutex<TaskDelegateState>

    /// Returns the hooks of this task as they are now, which come before the manager's.
    let hooks: @Sendable () -> TaskHooks

    /// The policy, interceptors and deadline of this task; nil if the manager has none.
    let recovery: RecoverySettings?

    /// Creates a delegate; `complete` is called once, on the delegate queue or after the last progress call.
    init(
        sink: (any BodySink)? = nil,
        maximumBodySize: Int? = nil,
        bodyStreams: BodyStreamSource? = nil,
        hooks: @escaping @Sendable () -> TaskHooks = { TaskHooks() },
        uploadProgress: ProgressHandler? = nil,
        downloadProgress: ProgressHandler? = nil,
        progressQueue: DispatchQueue? = nil,
        recovery: RecoverySettings? = nil,
        complete: @escaping @Sendable (TaskOutcome) -> Void
    ) {
        self.sink = sink
        self.maximumBodySize = maximumBodySize
        self.bodyStreams = bodyStreams
        self.hooks = hooks
        self.recovery = recovery
        self.complete = complete
        state = Mutex(
            TaskDelegateState(
                upload: TransferProgress(uploadProgress, queue: progressQueue),
                download: TransferProgress(downloadProgress, queue: progressQueue)
            )
        )
    }

    // MARK: - Progress

    /// Returns the progress reporter of one direction, which is made when it is first needed.
    func reporter(_ direction: WritableKeyPath<TaskDelegateState, TransferProgress>) -> ProgressReporter {
        state.withLock { $0.reporter(direction) }
    }

    /// Makes the upload or download progress a child of the thread's current `Progress`, before there is a task;
    /// returns the reporter to connect with the task, or nil if there is no current `Progress`.
    func joinCurrentProgress(isUpload: Bool) -> ProgressReporter? {
        guard Progress.current() != nil else { return nil }
        let reporter = reporter(isUpload ? \.upload : \.download)
        reporter.joinCurrentProgress()
        return reporter
    }

    /// Connects the progress objects that exist with the task that replaces another one, without retaining it.
    func attach(to task: URLSessionTask) {
        for reporter in state.withLock({ $0.reporters }) { reporter.attach(to: task) }
    }

    // MARK: - Task

    /// Whether the task is running, according to the last report of its session.
    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Records that the task was resumed or suspended; returns nil if nothing changes, and otherwise the result of
    /// `note`, which is called with the lock held, and thus before the task can end.
    func noteRunning<Note: Sendable>(_ isRunning: Bool, _ note: () -> Note) -> Note? {
        state.withLock { $0.noteRunning(isRunning) ? note() : nil }
    }

    /// Sets the error that replaces the transport's, such as the -999 of a refused challenge; the first one counts.
    func fail(with error: any Error) {
        state.withLock { state in
            if state.storedError == nil { state.storedError = error }
        }
    }

    /// Records that a challenge is cancelled on purpose: the response that carried it is then the task's result.
    func acceptChallengeAsResponse() { state.withLock { $0.endsWithChallenge = true } }

    func noteRedirection() { state.withLock { $0.redirectCount += 1 } }

    // MARK: - Request body

    /// Returns the stream to send: a new one each time, or the request's once; fails the task if there is none.
    func nextBodyStream(for task: URLSessionTask) -> InputStream? {
        let isFirst = state.withLock { state in
            defer { state.hasGivenBodyStream = true }
            return !state.hasGivenBodyStream
        }
        if let stream = bodyStreams?.next(isFirst: isFirst) { return stream }
        // Ferry's session fails with the same error, unless it has a response to deliver.
        guard task.isFoundationNetworking else { return nil }
        fail(
            with: NetworkError(
                .bodyStreamExhausted,
                message: "The body stream is needed again, but no new one is available",
                failingURL: bodyStreams?.request.url
            )
        )
        // FoundationNetworking calls this on the queue that its cancel() waits for, so cancel on another one.
        ManagerQueues.processing.async { task.cancel() }
        return nil
    }

    /// Counts sent bytes, and returns the length of the request's body; nil if it is unknown.
    func didSend(total: Int64, expected: Int64, of task: URLSessionTask) -> Int64? {
        let request = bodyStreams?.request
        let known = expected > 0 ? expected : request?.contentLength ?? task.originalRequest?.contentLength
        report { state in
            state.bytesSent = total
            return state.upload.update(completed: total, total: known)
        }
        return known
    }

    /// Changes the progress of one direction, and reports it if there is a reporter.
    private func report(_ change: (inout TaskDelegateState) -> TransferProgress) {
        let progress = state.withLock { change(&$0) }
        progress.reporter?.report(progress.latest)
    }

    // MARK: - Response

    /// Receives a response, and discards what came before it: that belonged to an earlier response, such as a 401.
    func didReceive(_ response: ReceivedResponse, for task: URLSessionTask) {
        let length = response.bodyLength
        report { state in
            state.start(length: length, collects: collectsBody)
            return state.download.update(completed: 0, total: length)
        }
        if let sink { sink.receive(response.value, of: task) }
        if let maximumBodySize, let length, length > Int64(maximumBodySize), collectsBody,
            response.value.hasBody(after: task.currentRequest)
        {
            refuse(task, limit: maximumBodySize)
        }
    }

    /// Receives a piece of the body.
    func didReceive(_ data: Data, for task: URLSessionTask) {
        let limit = collectsBody ? maximumBodySize : nil
        var isWithinLimit = true
        report { state in
            let received = state.receive(data, collects: collectsBody && !state.isRefused)
            isWithinLimit = state.body.count <= limit ?? .max
            return state.download.update(completed: received, total: state.download.latest.totalByteCount)
        }
        if let sink { sink.receive(data, of: task) }
        if let limit, !isWithinLimit { refuse(task, limit: limit) }
    }

    private func refuse(_ task: URLSessionTask, limit: Int) {
        guard state.withLock({ $0.refuse() }) else { return }
        fail(
            with: NetworkError(
                .responseTooLarge,
                message: "The body is larger than the limit of \(limit) bytes",
                failingURL: task.originalRequest?.url,
                response: task.response as? HTTPURLResponse
            )
        )
        task.cancel()
    }

    // MARK: - Download

    /// Counts bytes written to the file; `total` is the file's size, nil if the session does not report it.
    func didWrite(_ count: Int64, total: Int64?, expected: Int64) {
        report { state in
            if let total {
                // This is less than before if the download has started over.
                state.bytesReceived = total - state.fileOffset
            } else {
                state.bytesReceived += count
            }
            let received = state.fileOffset + state.bytesReceived
            return state.download.update(completed: received, total: expected > 0 ? expected : nil)
        }
    }

    func didResume(at offset: Int64, expected: Int64) {
        report { state in
            state.fileOffset = offset
            return state.download.update(completed: offset, total: expected > 0 ? expected : nil)
        }
    }

    /// Moves the file away before the session deletes it.
    func didFinishDownloading(_ task: URLSessionTask, to location: URL, hookDestination: URL?) {
        do {
            let file = try TemporaryFile.claim(location)
            if let file { task.noteDurableFile(file) }
            state.withLock { ($0.temporaryFile, $0.hookDestination) = (file, hookDestination) }
        } catch {
            fail(with: error)
        }
    }

    // MARK: - Completion

    /// Returns the task's metrics, once its transfer has ended.
    func measure(_ task: URLSessionTask) -> TaskMetrics {
        let end = task.finalState
        return state.withLock { $0.measure(end) }
    }

    /// Completes the task; does nothing after the first call.
    func finish(_ task: URLSessionTask, error: (any Error)?, _ observers: Observers) {
        let last = task.finalState
        let (request, response, _) = last
        guard let (end, metrics) = state.withLock({ $0.end(last) }) else { return }
        let data = end.temporaryFile == nil && !(task is URLSessionDownloadTask) && response != nil ? end.body : nil
        let failure = end.error(of: error).map {
            let error = NetworkError(transport: $0, request: request, response: response?.value, data: data)
            // The session's own errors already contain the number of attempts.
            return end.storedError == nil ? error : error.noting(attemptsOf: metrics)
        }
        let outcome = TaskOutcome(
            task: task,
            response: TaskResponse(
                request: request,
                received: response,
                data: collectsBody ? data : nil,
                error: failure,
                metrics: metrics
            ),
            temporaryFile: end.temporaryFile,
            hookDestination: end.hookDestination,
            observers: observers,
            endRecord: task.keepDurableRecord(error)
        )
        let reporters = end.reporters
        if failure == nil { for reporter in reporters { reporter.reportEnd() } }
        finish(reporters[...], outcome)
    }

    /// Completes the task after the last call of each progress handler.
    private func finish(_ reporters: ArraySlice<ProgressReporter>, _ outcome: TaskOutcome) {
        guard let reporter = reporters.first else { return complete(outcome) }
        reporter.finish { self.finish(reporters.dropFirst(), outcome) }
    }
}

/// A receiver of a response and its body as they arrive, called on the session's delegate queue.
package protocol BodySink: Sendable {
    func receive(_ response: URLResponse, of task: URLSessionTask)

    func receive(_ data: Data, of task: URLSessionTask)
}
