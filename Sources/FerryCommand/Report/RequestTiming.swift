import Ferry

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

    /// The time at which the transfer could have begun, if it had to wait for others; set only for its first request.
    var ready: Double?
    /// The time at which the request was due: the start of its task, or the end of the request before it.
    var wanted = 0.0
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

    /// The time at which the request began to wait.
    var firstMoment: Double { min(ready ?? wanted, wanted) }

    /// Whether the request failed or its response is an HTTP error.
    var isFailed: Bool { failure != nil || (status ?? 0) >= 400 }
}

extension RequestTiming {
    init(_ transaction: TaskMetrics.Transaction, transfer: Int, since origin: Date, wanted: Double) {
        self.init(
            transfer: transfer,
            url: transaction.url?.presentableText ?? "",
            method: transaction.method,
            status: transaction.statusCode,
            protocolName: transaction.networkProtocolName,
            remoteAddress: transaction.remoteAddress,
            remotePort: transaction.remotePort,
            isReused: transaction.isReusedConnection,
            isCached: transaction.isFromCache,
            bytesSent: transaction.sentBodyByteCount,
            bytesReceived: transaction.receivedBodyByteCount,
            headerBytes: transaction.receivedHeaderByteCount,
            wanted: wanted,
            // The system clock may have been set back.
            start: max(transaction.startDate.timeIntervalSince(origin), wanted),
            nameLookup: transaction.nameLookup,
            connect: transaction.connect,
            secureConnect: transaction.secureConnect,
            requestStart: transaction.requestStart,
            responseStart: transaction.responseStart,
            end: transaction.duration
        )
    }
}

enum RequestPhase: String, CaseIterable, Sendable {
    /// Waiting for other transfers to end, because the number of parallel transfers is limited.
    case turn = "behind others"
    /// Waiting for the session or for a connection.
    case queued
    case name = "DNS"
    case connect
    case tls = "TLS"
    /// Sending the request and waiting for the first byte of the response.
    case wait
    case receive
}

extension RequestTiming {
    /// A phase with its start and end, in seconds since the start of the run.
    struct Span: Equatable, Sendable {
        var phase: RequestPhase
        var from: Double
        var to: Double
    }

    /// The phases in order, without gaps.
    ///
    /// The last phase of a failed request is the one during which it failed.
    var spans: [Span] {
        var spans: [Span] = []
        var at = start
        func go(_ phase: RequestPhase, to time: Double) {
            guard time > at else { return }
            spans.append(Span(phase: phase, from: at, to: time))
            at = time
        }
        at = min(firstMoment, start)
        go(.turn, to: min(wanted, start))
        // A request on a reused connection has no lookup, connect and TLS phases.
        go(.queued, to: start + (isReused ? min(requestStart, end) : 0))
        if !isReused {
            go(.name, to: start + nameLookup)
            go(.connect, to: start + connect)
            go(.tls, to: start + secureConnect)
        }
        if responseStart > 0 {
            go(.wait, to: start + responseStart)
            go(.receive, to: start + end)
        } else {
            go(phaseUnderWay, to: start + end)
        }
        return spans
    }

    /// Returns the request with the times of the run counted from another moment of the run.
    func counted(from origin: Double) -> RequestTiming {
        var request = self
        request.ready = ready.map { $0 - origin }
        request.wanted -= origin
        request.start -= origin
        return request
    }

    /// Returns the duration of a phase in seconds.
    func duration(of phase: RequestPhase) -> Double {
        spans.reduce(0) { $0 + ($1.phase == phase ? $1.to - $1.from : 0) }
    }

    private var phaseUnderWay: RequestPhase {
        if let failedPhase { return failedPhase }
        if requestStart > 0 || isReused { return .wait }
        if connect > 0 { return url.lowercased().hasPrefix("https:") && secureConnect == 0 ? .tls : .wait }
        return nameLookup > 0 ? .connect : .name
    }
}
