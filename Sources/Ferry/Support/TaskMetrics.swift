import FerrySession

/// What a task cost: time and bytes.
public struct TaskMetrics: Sendable, Hashable {
    /// When the task was started.
    public var startDate: Date

    /// When the task was complete.
    public var endDate: Date

    /// The time from start to end in seconds, by a clock that is not set back.
    public var duration: TimeInterval

    /// The number of body bytes sent.
    public var bytesSent: Int64

    /// The number of body bytes received, before any content coding was undone.
    public var bytesReceived: Int64

    /// The number of redirections followed.
    public var redirectCount: Int

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - startDate: When the task was started.
    ///   - endDate: When the task was complete.
    ///   - duration: The seconds between; by default the difference of the two dates.
    ///   - bytesSent: The number of body bytes sent.
    ///   - bytesReceived: The number of body bytes received.
    ///   - redirectCount: The number of redirections followed.
    public init(
        startDate: Date,
        endDate: Date,
        duration: TimeInterval? = nil,
        bytesSent: Int64 = 0,
        bytesReceived: Int64 = 0,
        redirectCount: Int = 0
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.duration = duration ?? endDate.timeIntervalSince(startDate)
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.redirectCount = redirectCount
    }
}
