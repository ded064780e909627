import FerrySession

/// How fast a multipart body may be read.
public struct MultipartThrottle: Sendable, Hashable {
    /// The most bytes one read gives.
    public let packetSize: Int
    /// The time between two reads, in seconds.
    public let delay: TimeInterval
}
