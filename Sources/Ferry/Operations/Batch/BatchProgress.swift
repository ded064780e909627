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
    public var fractionCompleted: Double {
        totalCount > 0 ? Double(finishedCount) / Double(totalCount) : 1
    }
}
