import Foundation

/// The state of one direction of a transfer.
public struct ProgressUpdate: Sendable, Hashable {
    /// The number of bytes transferred.
    public var completedByteCount: Int64

    /// The number of bytes to transfer; nil while it is unknown, as for a chunked or compressed body.
    public var totalByteCount: Int64?

    /// Creates an update.
    ///
    /// - Parameters:
    ///   - completedByteCount: The number of bytes transferred.
    ///   - totalByteCount: The number of bytes to transfer; nil if it is unknown.
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
