import FerrySession

/// What a task delegate knows of its task; guarded by the delegate's lock.
struct TaskState: Sendable {
    /// How a task ended.
    struct End: Sendable {
        let body: Data
        let temporaryFile: URL?
        let hookDestination: URL?
        let error: (any Error)?
        let metrics: TaskMetrics
    }

    /// Room is reserved for bodies up to this length: what a server announces is not yet sent.
    static let largestReservation: Int64 = 64 << 20

    /// The body as far as it came.
    var body = Data()

    /// The number of body bytes received for the current response.
    var bytesReceived: Int64 = 0

    /// The number of body bytes sent.
    var bytesSent: Int64 = 0

    /// The number of redirections followed.
    var redirectCount = 0

    /// Where a download went on.
    var fileOffset: Int64 = 0

    /// The error that takes the place of the transport's.
    var storedError: (any Error)?

    /// Whether the response to a challenge is the result.
    var endsWithChallenge = false

    /// Whether the request's own body stream has been used.
    var hasGivenBodyStream = false

    /// The downloaded file, in a place of Ferry's own.
    var temporaryFile: URL?

    /// Where the manager's hook wants the file.
    var hookDestination: URL?

    /// Whether the body has been refused and is no longer collected.
    private(set) var isRefused = false

    private var expectedLength: Int64 = 0
    private var isRunning = false
    private var isFinished = false
    private var startDate = Date()
    private var start = ContinuousClock.now
    private var hasStarted = false
    private var metrics: TaskMetrics?

    /// Notes a change between running and suspended; false if it is none.
    mutating func noteRunning(_ running: Bool) -> Bool {
        guard isRunning != running, !isFinished else { return false }
        isRunning = running
        if running, !hasStarted {
            hasStarted = true
            startDate = Date()
            start = ContinuousClock.now
        }
        return true
    }

    /// Starts over for a new response.
    mutating func start(length: Int64?, collects: Bool) {
        body = Data()
        bytesReceived = 0
        expectedLength = collects ? min(length ?? 0, Self.largestReservation) : 0
    }

    /// Takes a piece of the body and gives the number of bytes received.
    mutating func receive(_ data: Data, collects: Bool) -> Int64 {
        bytesReceived += Int64(data.count)
        guard collects else { return bytesReceived }
        if body.isEmpty, expectedLength <= data.count {
            // All there is: kept without being copied.
            body = data
        } else {
            if body.isEmpty { body.reserveCapacity(Int(expectedLength)) }
            body.append(data)
        }
        return bytesReceived
    }

    /// Drops the body and takes no more of it; false the second time.
    mutating func refuse() -> Bool {
        guard !isRefused else { return false }
        isRefused = true
        body = Data()
        return true
    }

    /// What the task cost; measured once, when it ends.
    mutating func measure(_ transfer: TransferMetrics?) -> TaskMetrics {
        if let metrics { return metrics }
        let transactions = transfer?.transactions
        let measured = TaskMetrics(
            startDate: startDate,
            endDate: Date(),
            duration: (ContinuousClock.now - start) / .seconds(1),
            bytesSent: transactions?.reduce(0) { $0 + $1.bodyBytesSent } ?? bytesSent,
            bytesReceived: transactions?.reduce(0) { $0 + $1.bodyBytesReceived } ?? bytesReceived,
            redirectCount: redirectCount,
            transactions: transactions ?? []
        )
        metrics = measured
        return measured
    }

    /// Ends the task and hands out what there is; nil the second time.
    mutating func end(error: (any Error)?, transfer: TransferMetrics?) -> End? {
        guard !isFinished else { return nil }
        isFinished = true
        isRunning = false
        let isGivenUp = endsWithChallenge && (error as NSError?)?.code == NSURLErrorCancelled
        defer { body = Data() }
        return End(
            body: body,
            temporaryFile: temporaryFile,
            hookDestination: hookDestination,
            error: storedError ?? (isGivenUp ? nil : error),
            metrics: measure(transfer)
        )
    }
}
