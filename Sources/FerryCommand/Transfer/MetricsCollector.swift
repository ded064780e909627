import Ferry

/// Passes the metrics of one task from its delegate to the code that waits for them.
final class MetricsCollector: Sendable {
    private struct State {
        var metrics: TransferMetrics?
        var waiter: CheckedContinuation<TransferMetrics, Never>?
    }

    /// The start of the task, in seconds since the start of the run.
    let wanted: Double
    private let state = Locked(State())

    init(wanted: Double) {
        self.wanted = wanted
    }

    func finish(_ metrics: TransferMetrics) {
        let waiter = state.withLock { state in
            state.metrics = metrics
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: metrics)
    }

    /// Waits for the metrics, which every task has when it ends; may be called only once.
    func metrics() async -> TransferMetrics {
        await withCheckedContinuation { waiter in
            let metrics = state.withLock { state in
                if state.metrics == nil { state.waiter = waiter }
                return state.metrics
            }
            if let metrics { waiter.resume(returning: metrics) }
        }
    }
}
