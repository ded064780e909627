/// A phase of a request.
enum RequestPhase: String, CaseIterable, Sendable {
    /// Waiting for its turn or for a connection.
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
        at = min(wanted, start)
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
