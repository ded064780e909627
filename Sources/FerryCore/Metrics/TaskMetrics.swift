/// Measurements of a task: a transaction for each request that was sent or has failed, including redirects and retries.
///
/// FoundationNetworking's `URLSessionTaskMetrics` cannot be filled from outside, so this is Ferry's own type. A system
/// session does not provide the requests one by one: its task has one transaction, without phases, for all of them.
public struct TaskMetrics: Sendable, Hashable {
    /// One request and its response.
    public struct Transaction: Sendable, Hashable {
        /// The requested URL, without user and password.
        public var url: URL?
        /// The request method.
        public var method: String
        /// The status code of the response, or `nil` if there was none.
        public var statusCode: Int?
        /// The date and time at which the transaction began.
        public var startDate: Date
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
        public var duration: TimeInterval = 0
        /// The number of bytes of the request's body that were sent.
        public var sentBodyByteCount: Int64 = 0
        /// The number of bytes of the response's body that were received, before content codings were decoded.
        ///
        /// A system session does not provide it; there it is the length of the decoded body.
        public var receivedBodyByteCount: Int64 = 0
        /// The number of bytes of all response heads that were received.
        public var receivedHeaderByteCount = 0
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

        package init(url: URL?, method: String, statusCode: Int?, startDate: Date) {
            (self.url, self.method, self.statusCode, self.startDate) = (url, method, statusCode, startDate)
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
        public var statusCode: Int?
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

    /// The date and time at which the task was started.
    public var startDate: Date
    /// The time from the start to the end of the task, or of the last transaction so far, in seconds.
    ///
    /// It is measured by a monotonic clock.
    public var duration: TimeInterval = 0
    /// The transactions, in order; the last 1,000 if there are more.
    public var transactions: [Transaction] = []
    /// The attempts that have failed and were followed by another one, in order; the last 1,000 if there are more.
    public var retries: [Retry] = []
    /// The reason why no attempt followed a failed one, such as `a POST request is not sent again`; `nil` if the reason
    /// is the failure or the number of attempts.
    public var retryRefusal: String?
    /// The number of redirects that were followed.
    public var redirectCount = 0

    /// The number of bytes of request bodies that were sent in all transactions.
    public var sentBodyByteCount: Int64 { transactions.reduce(0) { $0 + $1.sentBodyByteCount } }
    /// The number of bytes of response bodies that were received in all transactions, before content codings were
    /// decoded.
    public var receivedBodyByteCount: Int64 { transactions.reduce(0) { $0 + $1.receivedBodyByteCount } }

    /// Creates metrics without a transaction.
    public init(startDate: Date = Date()) { self.startDate = startDate }

    package mutating func note(_ transaction: Transaction) {
        if transactions.count >= Self.maximumKept { transactions.removeFirst(Self.maximumKept / 2) }
        transactions.append(transaction)
    }

    package mutating func note(_ retry: Retry) {
        if retries.count >= Self.maximumKept { retries.removeFirst(Self.maximumKept / 2) }
        retries.append(retry)
    }
}

extension TaskMetrics.Transaction: RedactedDescription {
    /// The method, the URL without secrets, the status code and the duration.
    public var description: String {
        let result = statusCode.map { "\($0)" } ?? "no response"
        return "\(method) \(url?.presentableText ?? ""): \(result) in \(duration) s"
    }
}
