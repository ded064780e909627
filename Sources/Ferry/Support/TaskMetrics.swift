import FerrySession

/// What a task cost: time and bytes.
public struct TaskMetrics: Sendable, Hashable {
    /// When the task was started.
    public var startDate: Date

    /// When the task was complete.
    public var endDate: Date

    /// The time from start to end in seconds, by a clock that is not set back.
    public var duration: TimeInterval

    /// The number of body bytes sent, of all transactions together.
    public var bytesSent: Int64

    /// The number of body bytes received, of all transactions together and before any content coding was undone.
    ///
    /// A system session tells neither the earlier transactions nor the coded length: there it is the length of the body.
    public var bytesReceived: Int64

    /// The number of redirections followed.
    public var redirectCount: Int

    /// Each request that went out, redirections and retries included, with its phases; empty for a system session.
    public var transactions: [TransferMetrics.Transaction]

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - startDate: When the task was started.
    ///   - endDate: When the task was complete.
    ///   - duration: The seconds between; by default the difference of the two dates.
    ///   - bytesSent: The number of body bytes sent.
    ///   - bytesReceived: The number of body bytes received.
    ///   - redirectCount: The number of redirections followed.
    ///   - transactions: Each request that went out.
    public init(
        startDate: Date,
        endDate: Date,
        duration: TimeInterval? = nil,
        bytesSent: Int64 = 0,
        bytesReceived: Int64 = 0,
        redirectCount: Int = 0,
        transactions: [TransferMetrics.Transaction] = []
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.duration = duration ?? endDate.timeIntervalSince(startDate)
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.redirectCount = redirectCount
        self.transactions = transactions
    }
}
