/// One request, with its byte counts and times.
struct RequestTiming: Equatable, Sendable {
    /// The index of the URL that the request belongs to, from 0.
    var transfer = 0
    var url = ""
    var method = "GET"
    /// The status of the response; `nil` without a response.
    var status: Int?
    /// The protocol, such as `http/1.1` or `h2`.
    var protocolName: String?
    var remoteAddress: String?
    var remotePort: Int?
    var isReused = false
    var isCached = false
    var bytesSent: Int64 = 0
    var bytesReceived: Int64 = 0
    var headerBytes = 0

    // MARK: - Seconds since the run began

    /// When the request was due: when its task began, or when the request before it ended.
    var wanted = 0.0
    /// When the request started.
    var start = 0.0

    // MARK: - Seconds since the start, as in curl; zero for phases that did not happen

    var nameLookup = 0.0
    var connect = 0.0
    var secureConnect = 0.0
    var requestStart = 0.0
    var responseStart = 0.0
    var end = 0.0

    /// The reason why the transfer failed with this request.
    var failure: String?
    /// The phase in which the request failed, if the error determines it.
    var failedPhase: RequestPhase?

    /// Whether the request failed or its response is an HTTP error.
    var isFailed: Bool { failure != nil || (status ?? 0) >= 400 }
}
