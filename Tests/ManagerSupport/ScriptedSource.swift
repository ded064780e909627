import Ferry
import FerryCore
import Foundation

/// A source that reports the values of the test.
package final class ScriptedSource: ReachabilitySource {
    package struct Calls: Sendable, Equatable {
        package var starts = 0
        package var stops = 0

        package init(starts: Int = 0, stops: Int = 0) {
            (self.starts, self.stops) = (starts, stops)
        }
    }

    private let state = Mutex<(report: (@Sendable (ReachabilityStatus) -> Void)?, calls: Calls)>((nil, Calls()))
    private let first: ReachabilityStatus?

    package init(first: ReachabilityStatus? = nil) {
        self.first = first
    }

    package var calls: Calls { state.withLock { $0.calls } }
    package var isRunning: Bool { state.withLock { $0.report != nil } }

    package func start(_ report: @escaping @Sendable (ReachabilityStatus) -> Void) {
        state.withLock { state in
            state.report = report
            state.calls.starts += 1
        }
        if let first { report(first) }
    }

    package func stop() {
        state.withLock { state in
            state.report = nil
            state.calls.stops += 1
        }
    }

    /// The closure for reports, which a slow source may still call after it was stopped.
    package var reporter: (@Sendable (ReachabilityStatus) -> Void)? { state.withLock { $0.report } }

    package func report(_ status: ReachabilityStatus) {
        reporter?(status)
    }
}
