import FerrySession

/// How far one direction of a transfer has come.
public struct ProgressUpdate: Sendable, Hashable {
    /// The number of bytes transferred.
    public var completedByteCount: Int64

    /// The number of bytes to transfer; nil while it is not known, as for a chunked or compressed body.
    public var totalByteCount: Int64?

    /// Makes an update.
    ///
    /// - Parameters:
    ///   - completedByteCount: The number of bytes transferred.
    ///   - totalByteCount: The number of bytes to transfer; nil if it is not known.
    public init(completedByteCount: Int64, totalByteCount: Int64? = nil) {
        self.completedByteCount = completedByteCount
        self.totalByteCount = totalByteCount
    }

    /// The part transferred, from 0 to 1; nil while the total is not known.
    public var fractionCompleted: Double? {
        guard let totalByteCount, totalByteCount >= 0 else { return nil }
        guard totalByteCount > 0 else { return 1 }
        return min(1, max(0, Double(completedByteCount) / Double(totalByteCount)))
    }
}
