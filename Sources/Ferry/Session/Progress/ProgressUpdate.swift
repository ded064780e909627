/// The state of one direction of a transfer.
public struct ProgressUpdate: Sendable, Hashable {
    /// The number of bytes transferred.
    public var completedByteCount: Int64

    /// The number of bytes to transfer; nil while it is unknown, as for a chunked or compressed body.
    public var totalByteCount: Int64?

    /// Creates an update.
    public init(completedByteCount: Int64, totalByteCount: Int64? = nil) {
        self.completedByteCount = completedByteCount
        self.totalByteCount = totalByteCount
    }

    /// The fraction transferred, from 0 to 1; nil while the total is unknown.
    public var fractionCompleted: Double? {
        guard let totalByteCount, totalByteCount >= 0 else { return nil }
        guard totalByteCount > 0 else { return 1 }
        return min(1, max(0, Double(completedByteCount) / Double(totalByteCount)))
    }
}

/// A closure that receives the progress of one direction of a transfer.
///
/// It runs on the manager's ``SessionManager/progressQueue``, or on its ``SessionManager/operationQueue`` if there is
/// none. Calls never overlap, arrive in order and are coalesced: at most one is pending, and the last state is always
/// delivered before the completion handler runs.
public typealias ProgressHandler = @Sendable (ProgressUpdate) -> Void
