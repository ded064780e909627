import Foundation

/// A limit on how fast a multipart body is read.
public struct MultipartThrottle: Sendable, Hashable {
    /// The maximum number of bytes that one read returns.
    public let packetSize: Int
    /// The delay before each read after the first, in seconds.
    public let delay: TimeInterval
}
