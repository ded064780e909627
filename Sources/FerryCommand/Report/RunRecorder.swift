import Ferry

/// Collects the requests of a run for the reports at its end.
final class RunRecorder: Sendable {
    let startedAt = Date()
    private let requests = Locked<[RequestTiming]>([])

    /// Seconds since the run began.
    var now: Double { max(0, Date().timeIntervalSince(startedAt)) }

    func add(_ more: [RequestTiming]) {
        requests.withLock { $0 += more }
    }

    /// All requests, sorted by URL and then by start.
    var all: [RequestTiming] {
        requests.withLock { $0 }.sorted { ($0.transfer, $0.start) < ($1.transfer, $1.start) }
    }
}
