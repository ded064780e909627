/// One request that went out, with what it took.
struct RequestTiming: Equatable, Sendable {
    /// The number of the URL that it belongs to, from 0.
    var transfer = 0
    var url = ""
    var method = "GET"
    /// The status of the answer; `nil` where none came.
    var status: Int?
    /// `http/1.1`, `h2` and so on.
    var protocolName: String?
    var remoteAddress: String?
    var remotePort: Int?
    var isReused = false
    var isCached = false
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
    var headerBytes = 0

    // MARK: - Seconds since the run began

    /// When it was wanted.
    var wanted = 0.0
    /// When it began.
    var start = 0.0

    // MARK: - Seconds since the start, as curl counts; zero for what did not happen

    var nameLookup = 0.0
    var connect = 0.0
    var secureConnect = 0.0
    var requestStart = 0.0
    var responseStart = 0.0
    var end = 0.0

    /// Why the transfer failed with this request.
    var failure: String?
    /// The phase it failed in, where the error tells it.
    var failedPhase: RequestPhase?

    /// Whether it is to be looked at: it failed, or the answer is an HTTP error.
    var isFailed: Bool { failure != nil || (status ?? 0) >= 400 }
}
