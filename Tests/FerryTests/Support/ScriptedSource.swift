import Ferry
import FerryTesting

/// A source that reports what the test tells it to.
final class ScriptedSource: ReachabilitySource {
    struct Calls: Sendable, Equatable {
        var starts = 0
        var stops = 0
    }

    private let state = Mutex<(report: (@Sendable (ReachabilityStatus) -> Void)?, calls: Calls)>((nil, Calls()))
    private let first: ReachabilityStatus?

    init(first: ReachabilityStatus? = nil) {
        self.first = first
    }

    var calls: Calls { state.withLock { $0.calls } }
    var isRunning: Bool { state.withLock { $0.report != nil } }

    func start(_ report: @escaping @Sendable (ReachabilityStatus) -> Void) {
        state.withLock { state in
            state.report = report
            state.calls.starts += 1
        }
        if let first { report(first) }
    }

    func stop() {
        state.withLock { state in
            state.report = nil
            state.calls.stops += 1
        }
    }

    /// The closure to report with, which a slow source may still call after it was stopped.
    var reporter: (@Sendable (ReachabilityStatus) -> Void)? { state.withLock { $0.report } }

    func report(_ status: ReachabilityStatus) {
        reporter?(status)
    }
}
