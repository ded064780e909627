/// What a request spends its time on.
enum RequestPhase: String, CaseIterable, Sendable {
    /// It waits for its turn, or for a connection.
    case queued
    case name = "DNS"
    case connect
    case tls = "TLS"
    /// The request is sent, and the first byte of the answer is awaited.
    case wait
    case receive
}

extension RequestTiming {
    /// A phase with its seconds since the run began.
    struct Span: Equatable, Sendable {
        var phase: RequestPhase
        var from: Double
        var to: Double
    }

    /// The phases in order, one behind the other.
    ///
    /// The last one is what was under way when a failed request ended.
    var spans: [Span] {
        var spans: [Span] = []
        var at = start
        func go(_ phase: RequestPhase, to time: Double) {
            guard time > at else { return }
            spans.append(Span(phase: phase, from: at, to: time))
            at = time
        }
        at = min(wanted, start)
        // A request on a connection that stands already has neither looked up nor connected.
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

    /// How long a phase took, in seconds.
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
