/// How far a batch of requests has come.
public struct BatchProgress: Sendable, Hashable {
    /// How many requests are through, the failed ones included.
    public var finishedCount = 0

    /// How many of them failed.
    public var failedCount = 0

    /// How many requests there are.
    public var totalCount: Int

    /// How many bytes of responses have arrived.
    public var completedByteCount: Int64 = 0

    /// The part of the requests that is through, from 0 to 1; an empty batch is.
    public var fractionCompleted: Double {
        totalCount > 0 ? Double(finishedCount) / Double(totalCount) : 1
    }
}
