import Ferry

/// Hands over what one task has measured, when the task is over.
final class MetricsCollector: Sendable {
    private struct State {
        var metrics: TransferMetrics?
        var waiter: CheckedContinuation<TransferMetrics, Never>?
    }

    /// When the task was begun, in seconds since the run began.
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

    /// The metrics, which every task has that ends; asked for once.
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
