/// What one task's exchange took: a transaction for each request that went out, redirections and retries included.
///
/// FoundationNetworking's `URLSessionTaskMetrics` cannot be filled from outside, so this is Ferry's own.
public struct TransferMetrics: Sendable, Hashable {
    /// One request and its answer.
    public struct Transaction: Sendable, Hashable {
        /// The URL that was asked for, without user and password.
        public var url: URL?

        /// The method.
        public var method: String

        /// The status of the answer, `nil` where none came.
        public var status: Int?

        /// When the transaction began.
        public var start: Date

        /// Seconds from the start until the name was known; zero on a connection that stood already.
        public var nameLookup: TimeInterval

        /// Seconds from the start until the connection stood; zero on one that stood already.
        public var connect: TimeInterval

        /// Seconds from the start until the TLS handshake was done; zero without one.
        public var secureConnect: TimeInterval

        /// Seconds from the start until the request could be sent.
        public var requestStart: TimeInterval

        /// Seconds from the start until the first byte of the answer; zero where none came.
        public var responseStart: TimeInterval

        /// Seconds from the start until the end.
        public var end: TimeInterval

        /// Bytes of the request's body that were sent.
        public var bodyBytesSent: Int64

        /// Bytes of the answer's body that came, before any decoding.
        public var bodyBytesReceived: Int64

        /// Bytes of all heads that came.
        public var headerBytesReceived: Int

        /// `http/1.1`, `h2` and so on, by their ALPN names (RFC 7301); `nil` where no answer came.
        public var networkProtocolName: String?

        /// The address of the server, or of the proxy.
        public var remoteAddress: String?

        /// The port of the server, or of the proxy.
        public var remotePort: Int?

        /// Whether the connection had stood before.
        public var isReusedConnection: Bool

        /// Whether the answer came from the cache, without any network.
        public var isFromCache = false
    }

    /// The transactions, in order.
    public var transactions: [Transaction] = []

    /// How many redirections were followed.
    public var redirectCount = 0

    /// The time from the first transaction's start to the last one's end, in seconds.
    public var duration: TimeInterval {
        guard let first = transactions.first, let last = transactions.last else { return 0 }
        return last.start.timeIntervalSince(first.start) + last.end
    }

    /// Metrics without a transaction.
    public init() {}
}

/// A task delegate that is told what an exchange took, right before it is told of the completion.
public protocol CurlSessionMetricsDelegate: URLSessionTaskDelegate {
    /// The exchange is over; on the delegate queue.
    func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TransferMetrics)
}

extension URLSessionTask {
    /// What the exchange took so far, for a task of ``CurlSession``; `nil` for any other.
    public var transferMetrics: TransferMetrics? {
        (self as? any CurlTask)?.core.state.withLock { $0.metrics }
    }
}
