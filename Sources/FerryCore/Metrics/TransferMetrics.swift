/// Measurements of a task's exchange: a transaction for each request that was sent or has failed, including redirects
/// and retries.
///
/// FoundationNetworking's `URLSessionTaskMetrics` cannot be filled from outside, so this is Ferry's own type.
public struct TransferMetrics: Sendable, Hashable {
    /// One request and its response.
    public struct Transaction: Sendable, Hashable {
        /// The requested URL, without user and password.
        public var url: URL?
        /// The request method.
        public var method: String
        /// The status code of the response, or `nil` if there was none.
        public var status: Int?
        /// The date and time at which the transaction began.
        public var start: Date
        /// The time from the start to the end of the lookup, in seconds; zero on a reused connection.
        public var nameLookup: TimeInterval = 0
        /// The time from the start until the connection was established, in seconds; zero on a reused connection.
        public var connect: TimeInterval = 0
        /// The time from the start to the end of the TLS handshake, in seconds; zero without a handshake.
        public var secureConnect: TimeInterval = 0
        /// The time from the start until the request could be sent, in seconds.
        public var requestStart: TimeInterval = 0
        /// The time from the start to the first byte of the response, in seconds; zero if there was none.
        public var responseStart: TimeInterval = 0
        /// The time from the start to the end of the transaction, in seconds.
        public var end: TimeInterval = 0
        /// The number of bytes of the request's body that were sent.
        public var bodyBytesSent: Int64 = 0
        /// The number of bytes of the response's body that were received, before any decoding.
        public var bodyBytesReceived: Int64 = 0
        /// The number of bytes of all response heads that were received.
        public var headerBytesReceived: Int = 0
        /// The ALPN name of the protocol (RFC 7301), such as `http/1.1` or `h2`, or `nil` if there was no response.
        public var networkProtocolName: String?
        /// The address of the server, or of the proxy.
        public var remoteAddress: String?
        /// The port of the server, or of the proxy.
        public var remotePort: Int?
        /// A Boolean value that indicates whether the connection was reused.
        public var isReusedConnection = false
        /// A Boolean value that indicates whether the response came from the cache, without using the network.
        public var isFromCache = false
        /// A Boolean value that indicates whether the response belongs to an identical request of another task; see
        /// ``CurlSession/Options/coalescesIdenticalRequests``.
        public var isShared = false

        package init(url: URL?, method: String, status: Int?, start: Date) {
            (self.url, self.method, self.status, self.start) = (url, method, status, start)
        }
    }

    /// An attempt that has failed and was followed by another one.
    public struct Retry: Sendable, Hashable {
        /// The policy or interceptor that decided to make another attempt.
        public enum Origin: Sendable, Hashable {
            /// The task's ``RetryPolicy``.
            case policy
            /// A ``RequestInterceptor``.
            case interceptor
        }

        /// The number of the attempt that has failed, from 1.
        public var attempt: Int
        /// The date and time at which it failed.
        public var date: Date
        /// The status code of its response, or `nil` if it has failed with an error.
        public var status: Int?
        /// The code of the error that it has failed with.
        public var errorCode: URLError.Code?
        /// A sentence that describes how the attempt has failed.
        public var message: String
        /// The policy or interceptor that decided to make another attempt.
        public var origin: Origin
        /// The delay, in seconds, before the next attempt.
        public var delay: TimeInterval
        /// A Boolean value that indicates whether the next attempt requests only the rest of the body.
        public var continuesBody = false

        package init(attempt: Int, date: Date, message: String, origin: Origin, delay: TimeInterval) {
            (self.attempt, self.date, self.message) = (attempt, date, message)
            (self.origin, self.delay) = (origin, delay)
        }
    }

    /// The number of transactions and of retries that are kept: a body can be continued very often.
    private static let maximumKept = 1_000

    /// The transactions, in order; the last 1,000 if there are more.
    public var transactions: [Transaction] = []
    /// The attempts that have failed and were followed by another one, in order; the last 1,000 if there are more.
    public var retries: [Retry] = []
    /// The reason why no attempt followed a failed one, such as `a POST request is not sent again`; `nil` if the reason
    /// is the failure or the number of attempts.
    public var retryRefusal: String?
    /// The number of redirects that were followed.
    public var redirectCount = 0

    /// The time from the start of the first transaction to the end of the last one, in seconds.
    ///
    /// If the system's clock is set back meanwhile, it is the time of the last transaction alone.
    public var duration: TimeInterval {
        guard let first = transactions.first, let last = transactions.last else { return 0 }
        return max(0, last.start.timeIntervalSince(first.start)) + last.end
    }

    package mutating func note(_ transaction: Transaction) {
        if transactions.count >= Self.maximumKept { transactions.removeFirst(Self.maximumKept / 2) }
        transactions.append(transaction)
    }

    package mutating func note(_ retry: Retry) {
        if retries.count >= Self.maximumKept { retries.removeFirst(Self.maximumKept / 2) }
        retries.append(retry)
    }

    /// Makes metrics without a transaction.
    public init() {}
}

extension TransferMetrics.Transaction: RedactedDescription {
    /// The method, the URL without secrets, the status and the duration.
    public var description: String {
        let result = status.map { "\($0)" } ?? "no response"
        return "\(method) \(url?.presentableText ?? ""): \(result) in \(end) s"
    }
}
