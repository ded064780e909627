/// The duration of a task and the number of bytes it sent and received.
public struct TaskMetrics: Sendable, Hashable {
    /// The date at which the task was started.
    public var startDate: Date
    /// The date at which the task was complete.
    public var endDate: Date
    /// The seconds from start to end, measured by a monotonic clock where possible.
    public var duration: TimeInterval
    /// The number of body bytes sent in all transactions.
    public var bytesSent: Int64
    /// The number of body bytes received in all transactions, before content codings were decoded.
    ///
    /// A system session provides neither the earlier transactions nor the encoded length; there it is the length of the
    /// body.
    public var bytesReceived: Int64
    /// The number of redirects followed.
    public var redirectCount: Int
    /// The transactions with their phases, one for each request sent, including redirects and retries; empty for a
    /// system session.
    public var transactions: [TransferMetrics.Transaction]
    /// The attempts that have failed and were followed by another one, in order; empty for a system session.
    public var retries: [TransferMetrics.Retry]
    /// The reason why no attempt followed the last one, which has failed; see `TransferMetrics.retryRefusal`.
    public var retryRefusal: String?

    /// Creates a record with the given values of its properties; the duration is by default the time between the dates.
    public init(
        startDate: Date,
        endDate: Date,
        duration: TimeInterval? = nil,
        bytesSent: Int64 = 0,
        bytesReceived: Int64 = 0,
        redirectCount: Int = 0,
        transactions: [TransferMetrics.Transaction] = [],
        retries: [TransferMetrics.Retry] = []
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.duration = duration ?? endDate.timeIntervalSince(startDate)
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.redirectCount = redirectCount
        self.transactions = transactions
        self.retries = retries
    }
}
