/// The state of a task delegate; guarded by the delegate's lock.
package struct TaskDelegateState: Sendable {
    /// The largest body, in bytes, that memory is reserved for in advance: a server may announce more than it sends.
    package static let maximumReservation: Int64 = 64 << 20

    var upload: TransferProgress
    var download: TransferProgress
    var body = Data()
    /// The number of body bytes received for the current response.
    var bytesReceived: Int64 = 0
    var bytesSent: Int64 = 0
    var redirectCount = 0
    /// The offset at which a download resumed.
    var fileOffset: Int64 = 0
    /// The error that replaces the transport's.
    var storedError: (any Error)?
    /// Whether the task's result is the response that carried a challenge.
    var endsWithChallenge = false
    /// Whether a body stream has been requested.
    var hasGivenBodyStream = false
    /// The downloaded file, moved away from the session.
    var temporaryFile: URL?
    /// The destination that the manager's hook returned.
    var hookDestination: URL?
    /// Whether the body is too large and no longer collected.
    private(set) var isRefused = false

    private var expectedLength: Int64 = 0
    private(set) var isRunning = false
    private var isFinished = false
    private var hasStarted = false
    /// The metrics of a system session's task, and the time of its start.
    private var metrics = TaskMetrics()
    private var startTime = MonotonicTime.now()

    init(upload: TransferProgress, download: TransferProgress) { (self.upload, self.download) = (upload, download) }

    /// The reporters that have been made.
    var reporters: [ProgressReporter] {
        // Nearly every task has none.
        if upload.reporter == nil, download.reporter == nil { return [] }
        return [upload.reporter, download.reporter].compactMap { $0 }
    }

    /// Returns the reporter of one direction, which is made if necessary.
    mutating func reporter(_ direction: WritableKeyPath<TaskDelegateState, TransferProgress>) -> ProgressReporter {
        let isFinished = isFinished
        return self[keyPath: direction].makeReporter(isFinished: isFinished)
    }

    /// Records whether the task is running; returns false if that changes nothing.
    mutating func noteRunning(_ running: Bool) -> Bool {
        guard isRunning != running, !isFinished else { return false }
        isRunning = running
        if running, !hasStarted {
            hasStarted = true
            (metrics.startDate, startTime) = (Date.current, .now())
        }
        return true
    }

    /// Resets the body for a new response.
    mutating func start(length: Int64?, collects: Bool) {
        body = Data()
        bytesReceived = 0
        expectedLength = collects ? min(length ?? 0, Self.maximumReservation) : 0
    }

    /// Receives a piece of the body, and returns the number of bytes received so far.
    mutating func receive(_ data: Data, collects: Bool) -> Int64 {
        bytesReceived += Int64(data.count)
        guard collects else { return bytesReceived }
        if body.isEmpty, expectedLength <= data.count {
            // Nothing more is expected: keep the piece without copying it.
            body = data
        } else {
            if body.isEmpty { body.reserveCapacity(Int(expectedLength)) }
            body.append(data)
        }
        return bytesReceived
    }

    /// Drops the body and stops collecting it; returns false after the first call.
    mutating func refuse() -> Bool {
        guard !isRefused else { return false }
        isRefused = true
        body = Data()
        return true
    }

    /// Returns the task's metrics; those of a system session are computed on the first call.
    mutating func measure(_ end: URLSessionTask.FinalState) -> TaskMetrics {
        if let measured = end.metrics { return measured }
        guard metrics.transactions.isEmpty else { return metrics }
        (metrics.duration, metrics.redirectCount) = (MonotonicTime.now().since(startTime).seconds, redirectCount)
        var all = TaskMetrics.Transaction(
            url: end.request?.url?.presentable,
            method: end.request?.httpMethod ?? "GET",
            statusCode: end.response?.statusCode,
            startDate: metrics.startDate
        )
        (all.duration, all.sentBodyByteCount, all.receivedBodyByteCount) = (metrics.duration, bytesSent, bytesReceived)
        metrics.transactions = [all]
        return metrics
    }

    /// Ends the task, and returns the final state and the metrics; returns nil after the first call.
    mutating func end(_ end: URLSessionTask.FinalState) -> (state: TaskDelegateState, metrics: TaskMetrics)? {
        guard !isFinished else { return nil }
        isFinished = true
        isRunning = false
        let metrics = measure(end)
        defer { body = Data() }
        return (self, metrics)
    }

    /// Returns the error of the task whose transfer ended with the given one.
    func error(of transfer: (any Error)?) -> (any Error)? {
        let isGivenUp = endsWithChallenge && (transfer as NSError?)?.code == NSURLErrorCancelled
        return storedError ?? (isGivenUp ? nil : transfer)
    }
}
